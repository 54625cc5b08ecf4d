import { escapeHtml } from '@kitajs/html'

export interface TextProps {
  text: string
  class?: string
  id?: string
  role?: 'alert'
  /** For a text of a page, which may be written from right to left. */
  dir?: 'auto'
}

/** A paragraph with a text; '' shows nothing. */
export const Text = (props: TextProps) => <TextElement of="p" {...props} />

/** A text within a line; '' shows nothing. */
export const InlineText = (props: TextProps) => <TextElement of="span" {...props} />

/** A text that links to `href`, if there is one. */
export function TextLink({ href, text }: { href: string | undefined; text: string }) {
  if (href === undefined) return escapeHtml(text)
  return (
    <a href={escapeHtml(href)} safe>
      {text}
    </a>
  )
}

/** A short text in small muted letters; '' shows nothing. */
export const Hint = (props: Pick<TextProps, 'text' | 'id'>) => <Text class="hint" {...props} />

function TextElement({ of, text, ...attributes }: TextProps & { of: 'p' | 'span' }) {
  if (text === '') return null
  return (
    <tag of={of} {...attributes} safe>
      {text}
    </tag>
  )
}
