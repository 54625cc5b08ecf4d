import type { ImageFacts } from '../../core/fetch/image-facts.ts'
import type { PageTag } from '../tags/page-tags.ts'

/**
 * Where a card shows its image: above, below or beside the text, or with the title over it. `alone` is an image without
 * text, `text` a text without image, `search` a search result, and `none` no card at all.
 */
export type Layout = 'top' | 'below' | 'left' | 'right' | 'overlay' | 'alone' | 'text' | 'search' | 'none'

/** The shape to which an app crops images; `whole` if it does not crop them. */
export type Crop = '1.91:1' | '1:1' | 'whole'

/** Where the image goes, if there is one. */
export interface Placement {
  layout: Layout
  crop: Crop
  /** Whether the image is the first frame of a video, without a description. */
  isVideo?: true
}

export interface PlacementInput {
  /** The image that the app would use; null when there is none or the app rejects it. */
  image: ImageFacts | null
  /** `twitter:card` in lower case, or ''. */
  twitterCard: string
  tags: readonly PageTag[]
  /** The type of the oEmbed response, or ''. */
  oembedType: string
}

/** Limits beyond which an app does not show an image. */
export interface ImageLimits {
  maxBytes: number | null
  /** In pixels; null when there is no limit. */
  minWidth: number | null
  minHeight: number | null
  /** MIME types; null when unknown. */
  types: readonly string[] | null
}

/** Longer texts are truncated; null for no limit. */
export interface TextLimits {
  title: number | null
  description: number | null
  unit: 'characters' | 'bytes'
  /** In characters; a longer name prevents the card. */
  siteName?: number
}

/** In code points, which is close to what people count as characters, or in UTF-8 bytes. */
export function lengthOf(text: string, unit: TextLimits['unit'] = 'characters'): number {
  return unit === 'bytes' ? new TextEncoder().encode(text).length : Array.from(text).length
}

export interface AuthorRule {
  tags: readonly string[]
  /** In front of the name: `By `. */
  prefix: string
  /** Whether the author is shown instead of the description. */
  replacesDescription: boolean
}

/** How an app builds a card from the tags of a page. Tags are tried in order; see `keyOf` for their names. */
export interface Platform {
  /** Also of the app's rules in docs/link-previews.md, and of its mark. */
  id: string
  name: string
  title: readonly string[]
  description: readonly string[]
  image: readonly string[]
  siteName: readonly string[]
  /** Tags with a date and time (RFC 3339), of which the last one is shown. */
  date: readonly string[]
  /** Whether the tag that comes first in the page is used, instead of the tag whose name comes first in the list. */
  isInDocumentOrder: boolean
  /** The tags that the app reads, if that depends on other tags. */
  tagsOf: (tags: readonly PageTag[]) => readonly PageTag[]
  /** Why the app shows no card for a page; '' if it shows one. `urls` has the shared URL and the final URL. */
  rejectionOf: (tags: readonly PageTag[], urls: readonly string[]) => string
  /** What the app needs for a card, if it shows none because the page lacks it: `og:title or <title>`. */
  needs: string
  /** Why the app does not request the image of a tag; '' if it requests the image. */
  imageProblemOf: (tag: PageTag, tags: readonly PageTag[]) => string
  /** The maximum number of images from `og:image` tags. */
  maxImages: number
  /** Shown if the page has no site name. */
  source: 'host' | 'nothing'
  author: AuthorRule
  /**
   * How the app uses the oEmbed response that a page declares: `beside tags` for the author, the site name and values
   * that the tags lack; `instead of tags` unless its type is `rich`. `ignored` also means that the use is unknown.
   */
  oembed: 'ignored' | 'beside tags' | 'instead of tags'
  /** The lines of text in order. */
  lines: readonly ('source' | 'title' | 'author' | 'description')[]
  /** The maximum number of lines of each text; 0 for no limit. */
  maxLines: { title: number; description: number; descriptionWithoutImage?: number }
  limits: TextLimits
  imageLimits: ImageLimits
  /** Where the app shows the icon of the page. `instead of image` is only for cards without an image. */
  icon: 'beside source' | 'instead of image' | 'never'
  /** Whether a card without an image has a placeholder for one. */
  hasPlaceholder: boolean
  /** Whether `twitter:card` decides where the image goes. */
  usesTwitterCard: boolean
  /** Whether `theme-color` is shown. */
  hasAccent: boolean
  /** The name of the crawler in robots.txt; null if the crawler ignores robots.txt, or if its documentation does not say. */
  crawler: string | null
  /** Whether the crawler runs the scripts of pages. */
  runsScripts: boolean
  /** The number of bytes of a page that the crawler reads; null when unknown. */
  maxHtmlBytes: number | null
  /** The number of redirects that the crawler follows; null when unknown. */
  maxRedirects: number | null
  place: (input: PlacementInput) => Placement
}

export const KB = 1_024
export const MB = 1_024 * KB

/** No known limit. */
export const ANY_IMAGE: ImageLimits = { maxBytes: null, minWidth: null, minHeight: null, types: null }

export const NEEDS_TITLE = 'og:title or <title>'

/** The rules that most apps share. Each app overrides the rules that differ. */
export const app = (id: string, name: string) =>
  ({
    id,
    name,
    siteName: [],
    source: 'host',
    lines: ['source', 'title', 'description'],
    date: [],
    isInDocumentOrder: false,
    tagsOf: (tags: readonly PageTag[]) => tags,
    rejectionOf: () => '',
    needs: NEEDS_TITLE,
    imageProblemOf: () => '',
    maxImages: 1,
    author: { tags: [], prefix: '', replacesDescription: false },
    oembed: 'ignored',
    limits: { title: null, description: null, unit: 'characters' },
    imageLimits: ANY_IMAGE,
    icon: 'never',
    hasPlaceholder: false,
    usesTwitterCard: false,
    hasAccent: false,
    crawler: null,
    runsScripts: false,
    maxHtmlBytes: null,
    maxRedirects: null,
  }) as const satisfies Partial<Platform>

/** Open Graph, then HTML. */
export const OPEN_GRAPH_OR_HTML = {
  title: ['og:title', '<title>'],
  description: ['og:description', 'description'],
  image: ['og:image', 'og:image:url', 'og:image:secure_url'],
} as const

/** Open Graph, then Twitter Cards, then HTML. */
export const OPEN_GRAPH_FIRST = {
  title: ['og:title', 'twitter:title', '<title>'],
  description: ['og:description', 'twitter:description', 'description'],
  image: ['og:image', 'og:image:url', 'og:image:secure_url', 'twitter:image', 'twitter:image:src'],
  siteName: ['og:site_name'],
} as const

export const LARGE: Placement = { layout: 'top', crop: '1.91:1' }
export const SQUARE: Placement = { layout: 'left', crop: '1:1' }

export function isAtLeast({ size }: ImageFacts, width: number, height: number): boolean {
  // Without a known size, assume the larger card.
  return size === null || (size.width >= width && size.height >= height)
}
