import { ANY_IMAGE, isAtLeast, MB, MOST_APPS, OPEN_GRAPH_OR_HTML, type Platform } from '../platform.ts'

export const LINKEDIN: Platform = {
  id: 'linkedin',
  name: 'LinkedIn',
  mark: 'in',
  ...MOST_APPS,
  ...OPEN_GRAPH_OR_HTML,
  // The feed does not show descriptions.
  lines: ['title', 'source'],
  maxLines: { title: 2, description: 0 },
  crawler: 'LinkedInBot',
  imageLimits: { ...ANY_IMAGE, maxBytes: 5 * MB },
  place: ({ image }) =>
    image !== null && !isAtLeast(image, 401, 1) ? { layout: 'left', crop: '1:1' } : { layout: 'top', crop: '1.91:1' },
  sources: {
    '1.91:1; at most 5 MB; a thumbnail below a width of 401':
      'https://www.linkedin.com/help/linkedin/answer/46687/making-your-website-shareable-on-linkedin',
    'Obeys robots.txt, says its Post Inspector': 'https://memedata.com/post/56733',
  },
  approximate: 'LinkedIn does not document fallbacks for missing tags, or how long texts are cut.',
}
