import { firstTag } from '../../extract/page/page-tags.ts'
import { app, OPEN_GRAPH_OR_HTML, type Platform } from '../platform.ts'

/** The tags of a rich pin. A page without the type of one gets a pin with the host only. */
const RICH_TYPES = /^(?:article|blog|product)/i

export const PINTEREST: Platform = {
  ...app('pinterest', 'Pinterest', 'P'),
  ...OPEN_GRAPH_OR_HTML,
  description: ['pin:description', ...OPEN_GRAPH_OR_HTML.description],
  image: ['pin:media', ...OPEN_GRAPH_OR_HTML.image],
  siteName: ['og:site_name'],
  author: { tags: ['article:author'], prefix: 'By ', replacesDescription: false },
  lines: ['title', 'author', 'description', 'source'],
  maxLines: { title: 2, description: 3 },
  tagsOf(tags) {
    const isRich = RICH_TYPES.test(firstTag(tags, ['og:type'])?.value ?? '')
    const isOut = firstTag(tags, ['pinterest-rich-pin'])?.value.toLowerCase() === 'false'
    return isRich && !isOut ? tags : tags.filter(({ name }) => name !== 'article:author' && name !== 'og:site_name')
  },
  rejectionOf: (tags) => (firstTag(tags, ['pinterest'])?.value.toLowerCase() === 'nopin' ? 'pinterest: nopin' : ''),
  place: ({ image }) => ({ layout: image === null ? 'none' : 'top', crop: 'whole' }),
}
