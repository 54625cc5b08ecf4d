import { KB, MOST_APPS, OPEN_GRAPH_OR_HTML, type Platform } from '../platform.ts'

/** Wider images get the small card. */
const MAX_ASPECT_RATIO = 4
const MIN_WIDTH = 300
const MAX_BYTES = 600 * KB

export const WHATSAPP: Platform = {
  id: 'whatsapp',
  name: 'WhatsApp',
  mark: 'W',
  ...MOST_APPS,
  ...OPEN_GRAPH_OR_HTML,
  lines: ['title', 'description', 'source'],
  maxLines: { title: 2, description: 2 },
  maxHtmlBytes: 300 * KB,
  place({ image }) {
    if (image === null) return { layout: 'text', crop: 'whole' }
    const { size, bytes } = image
    const isSmall = size !== null && (size.width < MIN_WIDTH || size.width / size.height > MAX_ASPECT_RATIO)
    const isHeavy = bytes !== null && bytes > MAX_BYTES
    return isSmall || isHeavy ? { layout: 'left', crop: '1:1' } : { layout: 'top', crop: '1.91:1' }
  },
  sources: {
    'Open Graph tags in the first 300 KB; two lines each; at most 600 KB, at least 300 wide, at most 4:1':
      'https://developers.facebook.com/documentation/business-messaging/whatsapp/link-previews/',
  },
  approximate:
    'WhatsApp does not document the shape of its large card, or when it still shows an image that is too large.',
}
