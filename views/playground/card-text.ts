import type { PageResult } from '../../src/core/metadata.ts'

/** The values that link cards show. */
export interface CardText {
  /** The page's host without `www.`: `example.com`. */
  host: string
  /** Host and path as search results write it: `example.com › travel › lights`. */
  trail: string
  /** The page's title, or its host if it has none. */
  title: string
  /** '' when absent. */
  description: string
  siteName: string
  /** Whether twitter:card is summary_large_image. */
  isLarge: boolean
  /** Local paths; null when absent. */
  image: string | null
  favicon: string | null
}

/** Apps show no more than this. Also bounds the size of the playground, which repeats both texts in each card. */
const MAX_TITLE_CHARACTERS = 120
const MAX_DESCRIPTION_CHARACTERS = 200

/** Longer image paths are omitted, because each card repeats them. */
const MAX_PATH_CHARACTERS = 2_048

/** The number of path segments in a search result. */
const MAX_TRAIL_SEGMENTS = 3

export function cardText(
  response: { url: string } & PageResult,
  images: { image: string | null; favicon: string | null },
): CardText {
  const url = URL.parse(response.canonical_url ?? response.url) ?? URL.parse(response.url)
  const host = (url?.hostname ?? response.url).replace(/^www\./, '')
  const segments = (url?.pathname ?? '').split('/').filter((segment) => segment !== '')
  return {
    host: truncate(host, MAX_TITLE_CHARACTERS),
    trail: truncate([host, ...segments.slice(0, MAX_TRAIL_SEGMENTS).map(decoded)].join(' › '), MAX_TITLE_CHARACTERS),
    title: truncate(response.title ?? host, MAX_TITLE_CHARACTERS),
    description: truncate(response.description ?? '', MAX_DESCRIPTION_CHARACTERS),
    siteName: truncate(response.site_name ?? host, MAX_TITLE_CHARACTERS),
    isLarge: response.twitter_card?.card === 'summary_large_image',
    image: shortPath(images.image),
    favicon: shortPath(images.favicon),
  }
}

/** Truncates to `max` code points, ending in an ellipsis. */
export function truncate(text: string, max: number): string {
  const characters = Array.from(text.slice(0, max * 2 + 1))
  return characters.length > max
    ? `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
    : text
}

function shortPath(path: string | null): string | null {
  return path !== null && path.length <= MAX_PATH_CHARACTERS ? path : null
}

/** A path segment, percent-decoded where possible. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
