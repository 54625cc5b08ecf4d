import type { PropsWithChildren } from '@kitajs/html'

/** A name and its value in a `<dl>`: a text, or else the children. */
export function Detail({ name, text, children }: PropsWithChildren<{ name: string; text?: string }>) {
  return (
    <div>
      <dt safe>{name}</dt>
      <dd>{text === undefined ? (children as 'safe') : <span safe>{text}</span>}</dd>
    </div>
  )
}
