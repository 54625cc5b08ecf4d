import type { PageResult } from '../../src/core/metadata.ts'

/** The values that link cards show. */
export interface CardText {
  /** The page's host without `www.`: `example.com`. */
  host: string
  /** Host and path as search results write it: `example.com › travel › lights`. */
  trail: string
  /** The page's title, or its host where it has none. */
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

/** No app shows more. This also bounds the page, which repeats both in each card. */
const MAX_TITLE = 120
const MAX_DESCRIPTION = 200

/** Longer image paths are left out, because each card repeats them. */
const MAX_PATH_CHARACTERS = 2_048

/** Parts of the path in a search result. */
const MAX_TRAIL = 3

export function cardText(
  response: { url: string } & PageResult,
  images: { image: string | null; favicon: string | null },
): CardText {
  const url = URL.parse(response.canonical_url ?? response.url) ?? URL.parse(response.url)
  const host = (url?.hostname ?? response.url).replace(/^www\./, '')
  const steps = (url?.pathname ?? '').split('/').filter((step) => step !== '')
  return {
    host: cut(host, MAX_TITLE),
    trail: cut([host, ...steps.slice(0, MAX_TRAIL).map(readable)].join(' › '), MAX_TITLE),
    title: cut(response.title ?? host, MAX_TITLE),
    description: cut(response.description ?? '', MAX_DESCRIPTION),
    siteName: cut(response.site_name ?? host, MAX_TITLE),
    isLarge: response.twitter_card?.card === 'summary_large_image',
    image: shortPath(images.image),
    favicon: shortPath(images.favicon),
  }
}

/** Truncates to `max` code points, ending in an ellipsis. */
export function cut(text: string, max: number): string {
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
function readable(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
