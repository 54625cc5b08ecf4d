export interface TextProps {
  text: string
  class?: string
  id?: string
  role?: 'alert'
  /** For a text of a page, which may be written from right to left. */
  dir?: 'auto'
}

/** A paragraph with a text; '' shows nothing. */
export function Text({ text, ...attributes }: TextProps) {
  if (text === '') return null
  return (
    <p {...attributes} safe>
      {text}
    </p>
  )
}

/** A short text in small muted letters. */
export const Hint = (props: Pick<TextProps, 'text' | 'id'>) => <Text class="hint" {...props} />

/** A text within a line; '' shows nothing. */
export function InlineText({ text, ...attributes }: TextProps) {
  if (text === '') return null
  return (
    <span {...attributes} safe>
      {text}
    </span>
  )
}
