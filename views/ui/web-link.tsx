import { Html, type PropsWithChildren } from '@elysiajs/html'

/** The URL if it is http(s); null for `javascript:`, `data:` and anything that does not parse. */
export function webAddress(text: string): string | null {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}

/** A link to a foreign URL; plain text unless the URL is http(s). */
export function WebLink({ to, class: className, children }: PropsWithChildren<{ to: string; class?: string }>) {
  const address = webAddress(to)
  if (address === null) return <span>{children as 'safe'}</span>
  return (
    <a href={Html.escapeHtml(address)} rel="noopener noreferrer" class={className}>
      {children as 'safe'}
    </a>
  )
}
