import { ANY_IMAGE, app, isAtLeast, KB, LARGE, MB, OPEN_GRAPH_FIRST, OPEN_GRAPH_OR_HTML, SQUARE } from './platform.ts'
import type { Placement, Platform, PlatformId } from './platform.ts'
import { DISCORD } from './platforms/discord.ts'
import { GOOGLE } from './platforms/google.ts'
import { PINTEREST } from './platforms/pinterest.ts'
import { SIGNAL } from './platforms/signal.ts'
import rules from './rules.json' with { type: 'json' }

/** The rules of each app with the URLs of their sources; null for a rule without one. */
export const RULES: Readonly<Record<PlatformId, Readonly<Record<string, string | null>>>> = rules

const NO_CARD: Placement = { layout: 'none', crop: 'whole' }
const BELOW: Placement = { layout: 'below', crop: 'whole' }
const BESIDE: Placement = { layout: 'right', crop: '1:1' }
const COMMON_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif']

/** The apps whose cards are previewed, in the order in which they are shown. */
export const PLATFORMS: readonly Platform[] = [
  {
    ...app('x', 'X', ''),
    title: ['twitter:title', 'og:title'],
    description: ['twitter:description', 'og:description'],
    image: ['twitter:image', 'twitter:image:src', 'og:image', 'og:image:url', 'og:image:secure_url'],
    siteName: [],
    lines: ['source', 'title', 'description'],
    maxLines: { title: 2, description: 2 },
    limits: { title: 70, description: 200, unit: 'characters' },
    imageLimits: { maxBytes: 5 * MB, minWidth: 144, minHeight: 144, types: COMMON_TYPES },
    hasPlaceholder: true,
    usesTwitterCard: true,
    crawler: 'Twitterbot',
    // X draws a card if the page has a title, and `twitter:card` or all of `og:type`, `og:title` and `og:description`.
    place({ image, twitterCard, tags }) {
      const has = (name: string) => tags.some((tag) => tag.name === name && tag.value !== '')
      const isCard = twitterCard !== '' || ['og:type', 'og:title', 'og:description'].every(has)
      if (!isCard || !(has('twitter:title') || has('og:title'))) return NO_CARD
      const isLarge = twitterCard === 'summary_large_image' && image !== null && isAtLeast(image, 300, 157)
      return isLarge ? { layout: 'overlay', crop: '1.91:1' } : SQUARE
    },
  },
  {
    ...app('facebook', 'Facebook', ''),
    ...OPEN_GRAPH_OR_HTML,
    lines: ['source', 'title', 'description'],
    maxLines: { title: 2, description: 1 },
    crawler: 'facebookexternalhit',
    maxHtmlBytes: MB,
    imageLimits: { ...ANY_IMAGE, maxBytes: 8 * MB, minWidth: 200, minHeight: 200 },
    place: ({ image }) => (image !== null && !isAtLeast(image, 600, 315) ? SQUARE : LARGE),
  },
  {
    ...app('linkedin', 'LinkedIn', 'in'),
    ...OPEN_GRAPH_OR_HTML,
    // The feed does not show descriptions.
    lines: ['title', 'source'],
    maxLines: { title: 2, description: 0 },
    crawler: 'LinkedInBot',
    imageLimits: { ...ANY_IMAGE, maxBytes: 5 * MB },
    place: ({ image }) => (image !== null && !isAtLeast(image, 401, 1) ? SQUARE : LARGE),
  },
  {
    ...app('slack', 'Slack', 'S'),
    ...OPEN_GRAPH_FIRST,
    lines: ['source', 'title', 'description'],
    // Not truncated to a number of lines.
    maxLines: { title: 0, description: 0 },
    icon: 'beside source',
    usesTwitterCard: true,
    maxHtmlBytes: 32 * KB,
    place: ({ twitterCard }) => (twitterCard === 'summary' ? BESIDE : BELOW),
  },
  DISCORD,
  {
    ...app('whatsapp', 'WhatsApp', ''),
    ...OPEN_GRAPH_OR_HTML,
    lines: ['title', 'description', 'source'],
    maxLines: { title: 2, description: 2 },
    maxHtmlBytes: 300 * KB,
    place({ image }) {
      const { size, bytes } = image ?? { size: null, bytes: null }
      // Under a width of 300, or wider than 4:1.
      const isSmall = size !== null && (size.width < 300 || size.width / size.height > 4)
      return isSmall || (bytes !== null && bytes > 600 * KB) ? SQUARE : LARGE
    },
  },
  {
    ...app('imessage', 'iMessage', 'iM'),
    title: ['og:title', 'twitter:title', '<title>'],
    description: [],
    image: ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image'],
    siteName: [],
    lines: ['title', 'source'],
    maxLines: { title: 2, description: 0 },
    icon: 'instead of image',
    place: ({ image }) => (image && isAtLeast(image, 200, 200) ? { layout: 'top', crop: 'whole' } : BESIDE),
  },
  SIGNAL,
  {
    ...app('telegram', 'Telegram', ''),
    ...OPEN_GRAPH_FIRST,
    lines: ['source', 'title', 'description'],
    // The style sheet limits all lines to five.
    maxLines: { title: 2, description: 4 },
    usesTwitterCard: true,
    place: ({ twitterCard }) => (twitterCard === 'summary_large_image' ? BELOW : BESIDE),
  },
  {
    ...app('teams', 'Teams', 'Te'),
    ...OPEN_GRAPH_FIRST,
    lines: ['title', 'description', 'source'],
    maxLines: { title: 2, description: 2 },
    place: () => SQUARE,
  },
  {
    ...app('bluesky', 'Bluesky', ''),
    ...OPEN_GRAPH_OR_HTML,
    lines: ['title', 'description', 'source'],
    maxLines: { title: 3, description: 2, descriptionWithoutImage: 4 },
    place: () => LARGE,
  },
  {
    ...app('mastodon', 'Mastodon', ''),
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
  PINTEREST,
  GOOGLE,
]
