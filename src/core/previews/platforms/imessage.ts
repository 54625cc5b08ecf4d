import { isAtLeast, MOST_APPS, type Platform } from '../platform.ts'

export const IMESSAGE: Platform = {
  id: 'imessage',
  name: 'iMessage',
  mark: 'iM',
  ...MOST_APPS,
  title: ['og:title', 'twitter:title', '<title>'],
  description: [],
  image: ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image'],
  siteName: [],
  lines: ['title', 'source'],
  maxLines: { title: 2, description: 0 },
  icon: 'instead of image',
  place: ({ image }) =>
    image === null || !isAtLeast(image, 200, 200) ? { layout: 'right', crop: '1:1' } : { layout: 'top', crop: 'whole' },
  sources: {
    'Title, image and host; icons for pages without an image':
      'https://developer.apple.com/library/archive/technotes/tn2444/_index.html',
    'Order of tags and icons': 'https://gist.github.com/saagarjha/07e897fd72b370027ce280480761cf1e',
  },
  approximate: 'Apple does not document the size below which an image is shown as an icon.',
}
