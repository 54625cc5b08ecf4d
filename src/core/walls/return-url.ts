import { percentDecoded } from '../percent-decoded.ts'

/** The maximum number of query parameters to compare with the requested URLs. Login and consent pages have a few. */
const MAX_PARAMETERS = 50

/** Whether a query parameter contains one of these URLs, as on pages that lead back to the requested page. */
export function hasReturnUrl(url: URL, previousUrls: readonly URL[]): boolean {
  const values = [...url.searchParams.values()].slice(0, MAX_PARAMETERS)
  return values.some((value) => previousUrls.some((address) => leadsTo(value, address)))
}

/** Whether a parameter is this URL, absolute or as a path, possibly encoded twice. */
function leadsTo(value: string, address: URL): boolean {
  const text = /^(?:https?)?%/i.test(value) ? percentDecoded(value) : value
  // Excludes values such as "1" or "en", which would also resolve to a path.
  if (!/^(?:\/|https?:)/i.test(text)) return false
  const target = URL.parse(text, address.origin)
  if (target === null || target.hostname !== address.hostname) return false
  return comparablePath(target) === comparablePath(address)
}

/** Decoded, and without a final slash. */
function comparablePath({ pathname }: URL): string {
  const path = percentDecoded(percentDecoded(pathname))
  return path.endsWith('/') ? path.slice(0, -1) : path
}
