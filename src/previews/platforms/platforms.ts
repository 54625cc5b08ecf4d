import { firstTag, keyOf, type PageTag, tagsNamed } from '../tags/page-tags.ts'
import { truncate } from '../../core/extract/reading/text.ts'
import {
  ANY_IMAGE,
  app,
  isAtLeast,
  KB,
  LARGE,
  MB,
  NEEDS_TITLE,
  OPEN_GRAPH_FIRST,
  OPEN_GRAPH_OR_HTML,
  SQUARE,
} from './platform.ts'
import type { Placement, Platform } from './platform.ts'
import { DISCORD } from './discord.ts'
import { robotsRulesOf } from '../tags/robots-rules.ts'

const BELOW: Placement = { layout: 'below', crop: 'whole' }
const BESIDE: Placement = { layout: 'right', crop: '1:1' }
const COMMON_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif']

/** The types of rich pins on Pinterest. A page of another type gets a pin with the host only. */
const RICH_PINS = /^(?:article|blog|product)/i

/** The apps whose cards are previewed, in the order in which they are shown. docs/link-previews.md has the sources of the rules. */
export const PLATFORMS: readonly Platform[] = [
  {
    ...app('x', 'X'),
    title: ['twitter:title', 'og:title'],
    description: ['twitter:description', 'og:description'],
    image: ['twitter:image', 'twitter:image:src', 'og:image', 'og:image:url', 'og:image:secure_url'],
    maxLines: { title: 2, description: 2 },
    limits: { title: 70, description: 200, unit: 'characters' },
    imageLimits: { maxBytes: 5 * MB, minWidth: 144, minHeight: 144, types: COMMON_TYPES },
    hasPlaceholder: true,
    usesTwitterCard: true,
    crawler: 'Twitterbot',
    // X draws a card if the page has a title, and `twitter:card` or all of `og:type`, `og:title` and `og:description`.
    rejectionOf(tags) {
      const has = (...names: string[]) => firstTag(tags, names) !== undefined
      const isTyped = has('twitter:card') || ['og:type', 'og:title', 'og:description'].every((name) => has(name))
      const missing = [...(has('twitter:title', 'og:title') ? [] : ['og:title']), ...(isTyped ? [] : ['twitter:card'])]
      return missing.length === 0 ? '' : `needs ${missing.join(' and ')}`
    },
    place({ image, twitterCard }) {
      const isLarge = twitterCard === 'summary_large_image' && image !== null && isAtLeast(image, 300, 157)
      return isLarge ? { layout: 'overlay', crop: '1.91:1' } : SQUARE
    },
  },
  {
    ...app('facebook', 'Facebook'),
    ...OPEN_GRAPH_OR_HTML,
    maxLines: { title: 2, description: 1 },
    crawler: 'facebookexternalhit',
    maxHtmlBytes: MB,
    imageLimits: { ...ANY_IMAGE, maxBytes: 8 * MB, minWidth: 200, minHeight: 200 },
    place: ({ image }) => (image !== null && !isAtLeast(image, 600, 315) ? SQUARE : LARGE),
  },
  {
    ...app('linkedin', 'LinkedIn'),
    ...OPEN_GRAPH_OR_HTML,
    // The feed does not show descriptions.
    lines: ['title', 'source'],
    maxLines: { title: 2, description: 0 },
    crawler: 'LinkedInBot',
    imageLimits: { ...ANY_IMAGE, maxBytes: 5 * MB },
    place: ({ image }) => (image !== null && !isAtLeast(image, 401, 1) ? SQUARE : LARGE),
  },
  {
    ...app('slack', 'Slack'),
    ...OPEN_GRAPH_FIRST,
    // Not truncated to a number of lines.
    maxLines: { title: 0, description: 0 },
    icon: 'beside source',
    usesTwitterCard: true,
    maxHtmlBytes: 32 * KB,
    place: ({ twitterCard }) => (twitterCard === 'summary' ? BESIDE : BELOW),
  },
  DISCORD,
  {
    ...app('whatsapp', 'WhatsApp'),
    ...OPEN_GRAPH_OR_HTML,
    lines: ['title', 'description', 'source'],
    maxLines: { title: 2, description: 2 },
    maxHtmlBytes: 300 * KB,
    place({ image }) {
      const { size, bytes } = image ?? { size: null, bytes: null }
      // Narrower than 300 pixels, or wider than 4:1.
      const isSmall = size !== null && (size.width < 300 || size.width / size.height > 4)
      return isSmall || (bytes !== null && bytes > 600 * KB) ? SQUARE : LARGE
    },
  },
  {
    ...app('imessage', 'iMessage'),
    title: ['og:title', 'twitter:title', '<title>'],
    description: [],
    image: ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image'],
    lines: ['title', 'source'],
    maxLines: { title: 2, description: 0 },
    icon: 'instead of image',
    place: ({ image }) => (image && isAtLeast(image, 200, 200) ? { layout: 'top', crop: 'whole' } : BESIDE),
  },
  {
    ...app('signal', 'Signal'),
    ...OPEN_GRAPH_OR_HTML,
    image: ['og:image', 'og:image:url', 'link apple-touch-icon', 'link apple-touch-icon-precomposed', 'link icon'],
    lines: ['title', 'description', 'source'],
    maxLines: { title: 2, description: 3 },
    imageLimits: {
      ...ANY_IMAGE,
      maxBytes: MB,
      types: ['image/gif', 'image/x-icon', 'image/vnd.microsoft.icon', 'image/jpeg', 'image/png', 'image/webp'],
    },
    maxHtmlBytes: 1_000 * KB,
    // At most 20 requests.
    maxRedirects: 19,
    rejectionOf(tags, urls) {
      if (urls.some((url) => !url.startsWith('https:'))) return 'only https'
      const hasTitle = tags.some(({ name, value }) => ['og:title', 'title'].includes(name) && value !== '')
      return hasTitle ? '' : `needs ${NEEDS_TITLE}`
    },
    place({ image }) {
      const size = image?.size ?? null
      const isSquare = size !== null && Math.abs(1 - size.width / size.height) < 0.05
      return image === null || isSquare || !isAtLeast(image, 200, 200) ? SQUARE : LARGE
    },
  },
  {
    ...app('telegram', 'Telegram'),
    ...OPEN_GRAPH_FIRST,
    // The style sheet limits all lines to five.
    maxLines: { title: 2, description: 4 },
    usesTwitterCard: true,
    place: ({ twitterCard }) => (twitterCard === 'summary_large_image' ? BELOW : BESIDE),
  },
  {
    ...app('teams', 'Teams'),
    ...OPEN_GRAPH_FIRST,
    lines: ['title', 'description', 'source'],
    maxLines: { title: 2, description: 2 },
    place: () => SQUARE,
  },
  {
    ...app('bluesky', 'Bluesky'),
    ...OPEN_GRAPH_OR_HTML,
    lines: ['title', 'description', 'source'],
    maxLines: { title: 3, description: 2, descriptionWithoutImage: 4 },
    place: () => LARGE,
  },
  {
    ...app('mastodon', 'Mastodon'),
    title: ['json-ld headline', 'og:title', '<title>'],
    description: ['json-ld description', 'og:description', 'description'],
    image: ['og:image'],
    siteName: ['json-ld publisher', 'og:site_name'],
    author: { tags: ['json-ld author', 'og:author', 'og:author:username'], prefix: 'By ', replacesDescription: true },
    oembed: 'instead of tags',
    lines: ['source', 'title', 'author', 'description'],
    maxLines: { title: 2, description: 1 },
    hasPlaceholder: true,
    imageLimits: { ...ANY_IMAGE, maxBytes: 8 * MB, types: COMMON_TYPES },
    place: ({ image }) => (image?.size && image.size.width > image.size.height ? LARGE : SQUARE),
  },
  {
    ...app('pinterest', 'Pinterest'),
    ...OPEN_GRAPH_OR_HTML,
    description: ['pin:description', ...OPEN_GRAPH_OR_HTML.description],
    image: ['pin:media', ...OPEN_GRAPH_OR_HTML.image],
    siteName: ['og:site_name'],
    author: { tags: ['article:author'], prefix: 'By ', replacesDescription: false },
    lines: ['title', 'author', 'description', 'source'],
    maxLines: { title: 2, description: 3 },
    tagsOf(tags) {
      const isRich = RICH_PINS.test(firstTag(tags, ['og:type'])?.value ?? '')
      const isOut = firstTag(tags, ['pinterest-rich-pin'])?.value.toLowerCase() === 'false'
      return isRich && !isOut ? tags : tags.filter(({ name }) => name !== 'article:author' && name !== 'og:site_name')
    },
    needs: 'an image (og:image)',
    rejectionOf: (tags) => (firstTag(tags, ['pinterest'])?.value.toLowerCase() === 'nopin' ? 'pinterest: nopin' : ''),
    place: ({ image }) => ({ layout: image === null ? 'none' : 'top', crop: 'whole' }),
  },
  {
    ...app('google', 'Google'),
    title: ['<title>', 'og:title'],
    description: ['description'],
    image: [],
    siteName: ['json-ld site name', 'og:site_name'],
    // Google truncates both texts to the width of the device, not to a number of characters.
    maxLines: { title: 2, description: 3 },
    icon: 'beside source',
    crawler: 'Googlebot',
    runsScripts: true,
    tagsOf(tags) {
      const max = maxSnippet(tags)
      if (max === null) return tags
      const others = tags.filter((tag) => keyOf(tag) !== 'description')
      const [description] = max === 0 ? [] : tagsNamed(tags, 'description')
      return description ? [...others, { ...description, value: truncate(description.value, max) }] : others
    },
    place: () => ({ layout: 'search', crop: 'whole' }),
  },
]

/** The number of characters of the snippet that the page allows, 0 for none; null without a limit. */
function maxSnippet(tags: readonly PageTag[]): number | null {
  const limits = robotsRulesOf(tags).flatMap((rule) => {
    if (rule === 'nosnippet') return [0]
    const [, max] = /^max-snippet:(\d+)$/.exec(rule) ?? []
    return max === undefined ? [] : [Number(max)]
  })
  return limits.length === 0 ? null : Math.min(...limits)
}
