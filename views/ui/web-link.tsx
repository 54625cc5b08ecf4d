import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

/** The URL if it is http(s); null for `javascript:`, `data:` and anything that does not parse. */
export function webAddress(text: string): string | null {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}

export interface WebLinkProps {
  to: string
  class?: string
  /** Whether the link opens a new tab, so that the page with the link stays open. */
  inNewTab?: boolean
}

/**
 * A link to another site, which does not learn the URL of this page (`noreferrer` includes `noopener`). Plain text
 * unless the URL is http(s).
 */
export function WebLink({ to, class: className, inNewTab = false, children }: PropsWithChildren<WebLinkProps>) {
  const address = webAddress(to)
  if (address === null) return <span>{children as 'safe'}</span>
  return (
    <a href={escapeHtml(address)} rel="noreferrer" target={inNewTab ? '_blank' : undefined} class={className}>
      {children as 'safe'}
      {inNewTab && <span class="visually-hidden"> (opens a new tab)</span>}
    </a>
  )
}
