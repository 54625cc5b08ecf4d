import { keyOf, type PageTag } from '../page-tags.ts'

/** The names that previews and checks use. Tags with other names are left out. */
const NAMES = /^(?:og|twitter|article|fb|book|profile|product):|^(?:description|theme-color|author|robots)$/

/** The parts of a tag that are written as HTML. */
export type BlockTag = Pick<PageTag, 'element' | 'name' | 'value'>

/** The tags of a page that link previews read, as HTML to edit. */
export function tagBlock(tags: readonly PageTag[]): string {
  return tags
    .filter((tag) => tag.element === 'title' || tag.element === 'link' || NAMES.test(keyOf(tag)))
    .map(htmlOf)
    .join('\n')
}

/** One tag as HTML. Open Graph uses `property`, the rest `name`. */
export function htmlOf({ element, name, value }: BlockTag): string {
  if (element === 'title') return `<title>${escaped(value)}</title>`
  if (element === 'link') return `<link rel="${escaped(name)}" href="${escaped(value)}">`
  const attribute = /^(?:og|article|fb|book|profile|product):/.test(name) ? 'property' : 'name'
  return `<meta ${attribute}="${escaped(name)}" content="${escaped(value)}">`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
