import type { ImageFacts, ImageSize } from '../image-facts.ts'
import { firstTag, keyOf, type PageTag, type PageTags, tagsNamed } from '../page-tags.ts'
import { overText } from '../byte-count.ts'
import type { Crop, ImageLimits, Layout, Placement, Platform, TextLimits } from './platform.ts'

/** An image of a card. */
export interface CardImage {
  /** Absolute. */
  url: string
  /** Null when unknown. */
  size: ImageSize | null
  crop: Crop
}

/** What an app shows for a page. */
export interface Card {
  platform: Platform
  layout: Layout
  /** The site name or host, or ''. */
  source: string
  /** '' when the app shows none. */
  title: string
  description: string
  image: CardImage | null
  /** Why the page's image is missing or small: `og:image: HTTP 404`; '' when it is neither. */
  imageProblem: string
  /** The URL of the icon that the app shows; null for none. */
  icon: string | null
  /** `#rrggbb`, or '' for the app's default. */
  accent: string
  /** The tag of each text, such as `og:title`; '' when there is none. */
  used: { title: string; description: string; image: string }
  /** Further tags that change the card: `og:site_name`, `twitter:card`, `theme-color`. */
  alsoUsed: string[]
}

/** The inputs of a card. */
export interface CardInput {
  /** The URL of the page, as apps show its host. */
  url: string
  page: PageTags
  /** The images that were requested. Other images are assumed to be available, with unknown dimensions. */
  images: readonly ImageFacts[]
  /** The icon of the page; null when there is none. */
  favicon: string | null
}

/** Bounds for the text that a page can put on twelve cards. No app shows as much. */
const MAX_TITLE_CHARACTERS = 200
const MAX_DESCRIPTION_CHARACTERS = 500
const MAX_SOURCE_CHARACTERS = 100

/** The card of one app. */
export function cardOf(platform: Platform, { url, page, images, favicon }: CardInput): Card {
  const { tags } = page
  const siteName = firstTag(tags, platform.siteName)
  const titleTag = firstTag(tags, platform.title)
  const descriptionTag = firstTag(tags, platform.description)
  const wanted = imageOf(platform, page, images)
  const image = wanted !== null && wanted.problem === '' ? wanted.facts : null
  const twitterCard = firstTag(tags, ['twitter:card'])?.value.toLowerCase() ?? ''
  const placement = platform.place({ image, twitterCard, tags })
  const accent = platform.hasAccent ? hexColor(firstTag(tags, ['theme-color'])) : ''
  const host = hostOf(url)
  const icon = iconOf(platform, page, image, favicon)
  const sideIcon = platform.icon === 'instead of image' ? icon : null
  const isEmpty = titleTag === undefined && descriptionTag === undefined && image === null
  return {
    platform,
    layout: isEmpty && placement.layout !== 'search' ? 'none' : layoutOf(placement, platform, image ?? sideIcon),
    source: clipped(siteName?.value ?? (platform.source === 'host' ? host : ''), MAX_SOURCE_CHARACTERS),
    title: limited(titleTag?.value ?? host, platform.limits, 'title', MAX_TITLE_CHARACTERS),
    description: limited(descriptionTag?.value ?? '', platform.limits, 'description', MAX_DESCRIPTION_CHARACTERS),
    image: image && { url: image.url, size: image.size, crop: placement.crop },
    imageProblem: wanted === null || wanted.problem === '' ? '' : `${wanted.key}: ${wanted.problem}`,
    icon,
    accent,
    used: {
      title: titleTag ? keyOf(titleTag) : '',
      description: descriptionTag ? keyOf(descriptionTag) : '',
      image: wanted?.key ?? '',
    },
    alsoUsed: [
      ...(siteName ? [keyOf(siteName)] : []),
      ...(platform.usesTwitterCard && twitterCard !== '' ? ['twitter:card'] : []),
      ...(accent === '' ? [] : ['theme-color']),
    ],
  }
}

/** The absolute http(s) URL of an image tag; null when it has none. */
export function imageUrlOf(tag: PageTag, baseUrl: string): string | null {
  const url = URL.parse(tag.value, baseUrl)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}

/** The image that the app would use, and why it does not show it; null when the page declares none. */
function imageOf(platform: Platform, { tags, baseUrl }: PageTags, images: readonly ImageFacts[]) {
  const tag = firstTag(tags, platform.image)
  if (tag === undefined) return null
  const key = keyOf(tag)
  const url = imageUrlOf(tag, baseUrl)
  const unknown = { url: url ?? tag.value, problem: '', mimeType: '', bytes: null, size: null }
  const facts = images.find((image) => image.url === url) ?? unknown
  if (url === null) return { key, facts, problem: 'not an http(s) URL' }
  return { key, facts, problem: facts.problem || limitProblem(facts, platform.imageLimits) }
}

/** Why an app rejects an image; '' when it does not. */
export function limitProblem(facts: ImageFacts, { maxBytes, minWidth, minHeight, types }: ImageLimits): string {
  const { bytes, size, mimeType } = facts
  if (maxBytes !== null && bytes !== null && bytes > maxBytes) return overText(bytes, maxBytes)
  if (size !== null && (size.width < (minWidth ?? 0) || size.height < (minHeight ?? 0))) {
    return `${size.width} × ${size.height}, under ${minWidth} × ${minHeight}`
  }
  if (mimeType === 'image/svg+xml') return 'SVG is not supported'
  if (types !== null && mimeType !== '' && !types.includes(mimeType)) return `${mimeType} is not supported`
  return ''
}

/** A card without an image, and without a placeholder for one, has only text. */
function layoutOf({ layout }: Placement, { hasPlaceholder }: Platform, picture: unknown): Layout {
  const isFixed = layout === 'none' || layout === 'search'
  return picture === null && !isFixed && !hasPlaceholder ? 'text' : layout
}

function iconOf({ icon }: Platform, { tags, baseUrl }: PageTags, image: ImageFacts | null, favicon: string | null) {
  if (icon === 'beside source') return favicon
  if (icon === 'never' || image !== null) return null
  const touchIcon = [
    ...tagsNamed(tags, 'link apple-touch-icon-precomposed'),
    ...tagsNamed(tags, 'link apple-touch-icon'),
  ][0]
  return (touchIcon && imageUrlOf(touchIcon, baseUrl)) ?? favicon
}

/** Six hexadecimal digits, or three that are doubled; apps ignore other notations. */
function hexColor(tag: PageTag | undefined): string {
  const [, digits = ''] = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(tag?.value ?? '') ?? []
  const six = digits.length === 3 ? Array.from(digits, (digit) => digit + digit).join('') : digits
  return six === '' ? '' : `#${six.toLowerCase()}`
}

/** The host without `www.`, in Unicode as written in the URL. */
export function hostOf(url: string): string {
  return (URL.parse(url)?.hostname ?? url).replace(/^www\./, '')
}

/** Truncates to the app's limit, ending in an ellipsis. */
function limited(text: string, limits: TextLimits, which: 'title' | 'description', max: number): string {
  const limit = limits[which]
  if (limit === null) return clipped(text, max)
  return limits.unit === 'bytes' ? clippedToBytes(text, limit) : clipped(text, limit)
}

function clipped(text: string, max: number): string {
  const characters = Array.from(text.slice(0, 2 * max + 1))
  return characters.length <= max
    ? text
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
}

/** Truncates to a number of UTF-8 bytes without splitting a character; the ellipsis has three. */
function clippedToBytes(text: string, max: number): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= max) return text
  const start = new TextDecoder().decode(bytes.subarray(0, max - 3))
  return `${start.replace(/\ufffd+$/, '').trimEnd()}…`
}
