import { Html, type PropsWithChildren } from '@elysiajs/html'

/** The address itself if it leads to the web and nowhere else; null for `javascript:`, `data:` and what is no address. */
export function webAddress(text: string): string | null {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}

/** The only way to an address from outside: text alone when it is none of the web. */
export function WebLink({ to, class: className, children }: PropsWithChildren<{ to: string; class?: string }>) {
  const address = webAddress(to)
  if (address === null) return <span>{children as 'safe'}</span>
  return (
    <a href={Html.escapeHtml(address)} rel="noopener noreferrer" class={className}>
      {children as 'safe'}
    </a>
  )
}
