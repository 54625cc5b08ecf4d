import { escapeHtml } from '@kitajs/html'

export interface ButtonLinkProps {
  href: string
  text: string
  /** `small` or `primary`. */
  kind?: string
  rel?: 'prev' | 'next'
  /** The name of the file, if the link downloads one. */
  download?: string
}

/** A link that looks like a button. */
export function ButtonLink({ href, text, kind, rel, download }: ButtonLinkProps) {
  return (
    <a class={kind ? `button ${kind}` : 'button'} rel={rel} href={escapeHtml(href)} download={download} safe>
      {text}
    </a>
  )
}
