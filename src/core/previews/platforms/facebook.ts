import { ANY_IMAGE, isAtLeast, MB, MOST_APPS, OPEN_GRAPH_OR_HTML, type Platform } from '../platform.ts'

const DOCS = 'https://developers.facebook.com/docs/sharing/webmasters'

export const FACEBOOK: Platform = {
  id: 'facebook',
  name: 'Facebook',
  mark: 'f',
  ...MOST_APPS,
  ...OPEN_GRAPH_OR_HTML,
  lines: ['source', 'title', 'description'],
  maxLines: { title: 2, description: 1 },
  crawler: 'facebookexternalhit',
  maxHtmlBytes: MB,
  imageLimits: { ...ANY_IMAGE, maxBytes: 8 * MB, minWidth: 200, minHeight: 200 },
  place: ({ image }) =>
    image !== null && !isAtLeast(image, 600, 315) ? { layout: 'left', crop: '1:1' } : { layout: 'top', crop: '1.91:1' },
  sources: {
    'At least 200 × 200; large from 600 × 315; 1.91:1; at most 8 MB': `${DOCS}/images`,
    'Smaller images: a small square': `${DOCS}/faq`,
    'Tags in the first 1 MB; obeys robots.txt': `${DOCS}/web-crawlers`,
  },
  approximate: 'Facebook does not document fallbacks for missing tags, or how long texts are cut.',
}
