import type { PropsWithChildren } from '@kitajs/html'

/** A name and its value in a `<dl>`. */
export function Detail({ name, children }: PropsWithChildren<{ name: string }>) {
  return (
    <div>
      <dt safe>{name}</dt>
      <dd>{children as 'safe'}</dd>
    </div>
  )
}
