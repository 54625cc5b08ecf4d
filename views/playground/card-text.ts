/** The number of path segments in a search result. */
const MAX_TRAIL_SEGMENTS = 3
const MAX_TRAIL_CHARACTERS = 120

/** Host and path as search results write them: `example.com › travel › lights`. */
export function breadcrumbOf(address: string): string {
  const url = URL.parse(address)
  if (url === null) return truncate(address, MAX_TRAIL_CHARACTERS)
  const segments = url.pathname.split('/').filter((segment) => segment !== '')
  const host = url.hostname.replace(/^www\./, '')
  return truncate([host, ...segments.slice(0, MAX_TRAIL_SEGMENTS).map(decoded)].join(' › '), MAX_TRAIL_CHARACTERS)
}

/** Truncates to `max` code points, ending in an ellipsis. */
export function truncate(text: string, max: number): string {
  const characters = Array.from(text.slice(0, max * 2 + 1))
  if (characters.length <= max) return text
  const start = characters.slice(0, max - 1).join('')
  return `${start.trimEnd()}…`
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
