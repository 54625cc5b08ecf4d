import type { ImageFacts, ImageSize } from '../../core/fetch/image-facts.ts'
import { mapNames } from '../../core/map-names.ts'
import { firstTag, keyOf, type PageTag, type PageTags } from '../tags/page-tags.ts'
import { type CardInput, contentOf, galleryOf, tagUrlOf, touchIconOf } from './card-content.ts'
import { type Crop, type Layout, type Placement, type Platform, type TextLimits } from '../platforms/platform.ts'
import { excludesPage, robotsRulesOf } from '../tags/robots-rules.ts'
import { isDisallowed } from './robots.ts'

export interface CardImage {
  /** Absolute. */
  url: string
  /** Null when unknown. */
  size: ImageSize | null
  crop: Crop
}

export type Card = ReturnType<typeof cardOf>

/** Bounds for the texts that a page can put on every card. No app shows as much. */
export const MAX_CHARACTERS = { title: 200, description: 500 }
const MAX_SOURCE_CHARACTERS = 100

const TEXTS = ['title', 'description'] as const
type TextName = (typeof TEXTS)[number]

/**
 * No app shows more in a line: letters of Latin text in the widest card. East Asian characters are two columns wide, as
 * in a terminal. A narrower line is cut too, which only the browser can measure.
 */
const LINE_COLUMNS = 80

export function cardOf(platform: Platform, facts: CardInput) {
  const tags = platform.tagsOf(facts.page.tags)
  const input = { ...facts, page: { ...facts.page, tags } }
  const { url, page, oembed } = input
  const { title, description, author, siteName, image: wanted } = contentOf(platform, input)
  const [first, ...others] = galleryOf(platform, input)
  const image = first ?? (wanted !== null && wanted.problem === '' ? wanted.facts : null)
  const twitterCard = firstTag(tags, ['twitter:card'])?.value.toLowerCase() ?? ''
  const placement = platform.place({ image, twitterCard, tags, oembedType: oembed?.type ?? '' })
  const shown = (one: ImageFacts): CardImage => ({ url: one.url, size: one.size, crop: placement.crop })
  const accent = platform.hasAccent ? (lastValue(tags, ['theme-color'], HEX_COLOR)?.toLowerCase() ?? '') : ''
  const fallback = platform.source === 'host' ? hostOf(url) : ''
  const wantedIcon = iconOf(platform, page, image, input.favicon)
  const icon = wantedIcon !== null && isShowable(wantedIcon, input.images) ? wantedIcon : null
  const sideIcon = platform.icon === 'instead of image' ? wantedIcon : null
  const isSearch = placement.layout === 'search'
  const isEmpty = !isSearch && title === null && description === null && image === null
  const isNone = isEmpty || placement.layout === 'none'
  const problem = problemOf(platform, input, isSearch) || (isNone ? `needs ${platform.needs}` : '')
  const isReplaced = author !== null && platform.author.replacesDescription
  const layout = problem !== '' && !isSearch ? 'none' : layoutOf(placement, platform, image ?? sideIcon)
  const isImageOnly = layout === 'overlay' || layout === 'alone'
  const shownDescription = isReplaced || placement.isVideo || isImageOnly ? null : description
  const texts = { title: title?.value ?? fallback, description: shownDescription?.value ?? '' }
  const visible = mapNames(TEXTS, (of) => limited(texts[of], platform.limits, of))
  const columns = (platform.maxLines.title || Infinity) * LINE_COLUMNS
  const isCut = (of: TextName) => visible[of] !== texts[of] || (of === 'title' && Bun.stringWidth(texts[of]) > columns)
  return {
    platform,
    layout,
    /** The site name or host, or ''. */
    source: clipped(siteName?.value ?? fallback, MAX_SOURCE_CHARACTERS),
    /** The title and the description; '' when the app shows none. */
    ...visible,
    /** With its prefix: `By Jo`; '' when the app shows none. */
    author: author === null ? '' : clipped(platform.author.prefix + author.value, MAX_SOURCE_CHARACTERS),
    /**
     * The texts beyond the app's limit in characters or bytes, or beyond what any app shows. Descriptions usually end
     * with the lines of the card, which does not count.
     */
    cut: TEXTS.filter((of) => layout !== 'alone' && platform.lines.includes(of) && isCut(of)),
    image: image && shown(image),
    /** The images beside `image` in a gallery. */
    moreImages: others.map(shown),
    /** Whether the image is the first frame of a video. */
    isVideo: placement.isVideo ?? false,
    /** A date and time in ISO 8601, or ''. */
    date: lastValue(tags, platform.date, RFC_3339) ?? '',
    /** Why the app shows no card or does not list the page: `robots.txt disallows Twitterbot`; '' if it shows one. */
    problem,
    /** Why the page's image is missing or small: `og:image: HTTP 404`; '' when it is neither. */
    imageProblem: wanted === null || wanted.problem === '' ? '' : `${wanted.key}: ${wanted.problem}`,
    /** The URL of the icon that the app shows; null for none. */
    icon,
    /** `#rrggbb` or `#rrggbbaa`, or '' for the app's default. */
    accent,
    /** The tag of each text, such as `og:title` or `oembed title`; '' when there is none. */
    used: {
      title: title?.key ?? '',
      author: author?.key ?? '',
      description: shownDescription?.key ?? '',
      image: wanted?.key ?? '',
    },
    /** Further tags that change the card: `og:site_name`, `twitter:card`, `theme-color`. */
    alsoUsed: [
      ...(siteName ? [siteName.key] : []),
      ...(platform.usesTwitterCard && twitterCard !== '' ? ['twitter:card'] : []),
      ...(accent === '' ? [] : ['theme-color']),
    ],
  }
}

function problemOf(platform: Platform, input: CardInput, isSearch: boolean): string {
  const { requestedUrl, url, redirects, page, robots } = input
  const { tags } = page
  const urls = [requestedUrl, url]
  if (urls.some((address) => isDisallowed(robots, address, platform.id)))
    return `robots.txt disallows ${platform.crawler}`
  if (platform.maxRedirects !== null && redirects > platform.maxRedirects)
    return `${redirects} redirects, over ${platform.maxRedirects}`
  const rejection = platform.rejectionOf(tags, urls)
  if (rejection !== '') return rejection
  return isSearch && excludesPage(robotsRulesOf(tags)) ? 'noindex: not listed' : ''
}

/** SVG icons are documents that may contain scripts, so they are not shown. */
function isShowable(url: string, images: readonly ImageFacts[]): boolean {
  const icon = images.find((image) => image.url === url)
  return icon === undefined || (icon.problem === '' && icon.mimeType !== 'image/svg+xml')
}

/** A card without an image, and without a placeholder for one, has only text. */
function layoutOf({ layout }: Placement, { hasPlaceholder }: Platform, picture: unknown): Layout {
  const isFixed = layout === 'none' || layout === 'search'
  return picture === null && !isFixed && !hasPlaceholder ? 'text' : layout
}

function iconOf({ icon }: Platform, { tags, baseUrl }: PageTags, image: ImageFacts | null, favicon: string | null) {
  if (icon === 'beside source') return favicon
  if (icon === 'never' || image !== null) return null
  return tagUrlOf(touchIconOf(tags), baseUrl) ?? favicon
}

const HEX_COLOR = /^#(?:[\da-f]{6}|[\da-f]{8})$/i

/** A date with a time and an offset. */
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** The last value that matches `form`, among the tags with one of the names. */
function lastValue(tags: readonly PageTag[], names: readonly string[], form: RegExp): string | undefined {
  return tags.findLast((tag) => names.includes(keyOf(tag)) && form.test(tag.value))?.value
}

/** The host without `www.`; an international name is in Punycode. */
function hostOf(url: string): string {
  return (URL.parse(url)?.hostname ?? url).replace(/^www\./, '')
}

/** Truncates to the app's limit, ending in an ellipsis. */
function limited(text: string, limits: TextLimits, of: TextName): string {
  const limit = limits[of] ?? MAX_CHARACTERS[of]
  return limits[of] !== null && limits.unit === 'bytes' ? clippedToBytes(text, limit) : clipped(text, limit)
}

function clipped(text: string, max: number): string {
  const characters = Array.from(text.slice(0, 2 * max + 1))
  if (characters.length <= max) return text
  const start = characters.slice(0, max - 1).join('')
  return `${start.trimEnd()}…`
}

/** Truncates to a number of UTF-8 bytes without splitting a character; the ellipsis has three bytes. */
function clippedToBytes(text: string, max: number): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= max) return text
  const start = new TextDecoder().decode(bytes.subarray(0, max - 3))
  return `${start.replace(/\ufffd+$/, '').trimEnd()}…`
}
