import { ANY_IMAGE, isAtLeast, KB, MB, app, LARGE, SQUARE, type Platform } from '../platform.ts'

export const SIGNAL: Platform = {
  ...app('signal', 'Signal', ''),
  title: ['og:title', '<title>'],
  description: ['og:description', 'description'],
  image: ['og:image', 'og:image:url', 'link apple-touch-icon', 'link apple-touch-icon-precomposed', 'link icon'],
  siteName: [],
  lines: ['title', 'description', 'source'],
  maxLines: { title: 2, description: 3 },
  imageLimits: {
    ...ANY_IMAGE,
    maxBytes: MB,
    types: ['image/gif', 'image/x-icon', 'image/vnd.microsoft.icon', 'image/jpeg', 'image/png', 'image/webp'],
  },
  maxHtmlBytes: 1_000 * KB,
  // 20 requests.
  maxRedirects: 19,
  rejectionOf(tags, urls) {
    if (urls.some((url) => !url.startsWith('https:'))) return 'only https'
    const hasTitle = tags.some(({ name, value }) => ['og:title', 'title'].includes(name) && value !== '')
    return hasTitle ? '' : 'no title'
  },
  place({ image }) {
    const size = image?.size ?? null
    const isSquare = size !== null && Math.abs(1 - size.width / size.height) < 0.05
    return image === null || isSquare || !isAtLeast(image, 200, 200) ? SQUARE : LARGE
  },
}
