import { MOST_APPS, type Platform } from '../platform.ts'

const DOCS = 'https://developers.google.com/search/docs/appearance'

export const GOOGLE: Platform = {
  id: 'google',
  name: 'Google',
  mark: 'G',
  ...MOST_APPS,
  title: ['<title>', 'og:title'],
  description: ['description'],
  image: [],
  siteName: ['og:site_name'],
  lines: ['source', 'title', 'description'],
  // Google truncates both to the width of the device, not to a number of characters.
  maxLines: { title: 2, description: 3 },
  icon: 'beside source',
  crawler: 'Googlebot',
  runsScripts: true,
  place: () => ({ layout: 'search', crop: 'whole' }),
  sources: {
    'Title: <title> first, cut to the width of the device': `${DOCS}/title-link`,
    'Snippet: text of the page, or the meta description': `${DOCS}/snippet`,
    'Obeys robots.txt': 'https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt',
  },
  approximate: 'Google may choose another title and text of the page for each search.',
}
