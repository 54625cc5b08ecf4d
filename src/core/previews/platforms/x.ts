import { isAtLeast, MB, MOST_APPS, type Platform } from '../platform.ts'

const DOCS = 'https://developer.x.com/en/docs/x-for-websites/cards/overview'

/** X shows a card if the page has a title and `twitter:card`, or all of `og:type`, `og:title` and `og:description`. */
export const X: Platform = {
  id: 'x',
  name: 'X',
  mark: 'X',
  ...MOST_APPS,
  title: ['twitter:title', 'og:title'],
  description: ['twitter:description', 'og:description'],
  image: ['twitter:image', 'twitter:image:src', 'og:image', 'og:image:url', 'og:image:secure_url'],
  siteName: [],
  lines: ['source', 'title', 'description'],
  maxLines: { title: 2, description: 2 },
  limits: { title: 70, description: 200, unit: 'characters' },
  imageLimits: {
    maxBytes: 5 * MB,
    minWidth: 144,
    minHeight: 144,
    types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
  },
  hasPlaceholder: true,
  usesTwitterCard: true,
  crawler: 'Twitterbot',
  place({ image, twitterCard, tags }) {
    const has = (name: string) => tags.some((tag) => tag.name === name && tag.value !== '')
    const isCard = twitterCard !== '' || ['og:type', 'og:title', 'og:description'].every(has)
    if (!isCard || !(has('twitter:title') || has('og:title'))) return { layout: 'none', crop: 'whole' }
    const isLarge = twitterCard === 'summary_large_image' && image !== null && isAtLeast(image, 300, 157)
    return isLarge ? { layout: 'overlay', crop: '2:1' } : { layout: 'left', crop: '1:1' }
  },
  sources: {
    'Tags, their order and length, image weight and types': 'https://developer.x.com/cards/markup',
    'Large cards: 2:1, at least 300 × 157': `${DOCS}/summary-card-with-large-image`,
    'Small cards: 1:1, at least 144 × 144': `${DOCS}/summary`,
    'robots.txt can block cards and images':
      'https://developer.x.com/en/docs/x-for-websites/cards/guides/getting-started',
  },
  approximate: 'The documentation does not show how X renders cards today.',
}
