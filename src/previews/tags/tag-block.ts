import type { PageTag } from './page-tags.ts'

/** JSON-LD properties whose value is an organization or a person. */
const NAMED: ReadonlySet<string> = new Set(['publisher', 'author'])

/** The types of listed nodes, each with the form of its property names. */
const NODES = { NewsArticle: /^(?!site |video )/, WebSite: /^site /, VideoObject: /^video / }

/** The names that previews and checks use. Tags with other names are left out. */
const NAMES =
  /^(?:og|twitter|pin|article|fb|book|profile|product):|^(?:description|theme-color|author|robots|googlebot|pubdate|iso-8601-publish-date|pinterest.*)$/

/** The parts of a tag that are written as HTML. */
export type BlockTag = Pick<PageTag, 'element' | 'name' | 'value'>

/** The tags of a page that link previews read, as HTML that users can edit. */
export function tagBlock(tags: readonly PageTag[]): string {
  const isLine = ({ element, name }: PageTag) => (element === 'meta' ? NAMES.test(name) : element !== 'json-ld')
  const lines = tags.filter(isLine).map(htmlOf)
  const properties = tags.filter(({ element }) => element === 'json-ld')
  return [...lines, ...(properties.length > 0 ? [jsonLdOf(properties)] : [])].join('\n')
}

/** The properties as JSON-LD, in one node per type. */
function jsonLdOf(properties: readonly PageTag[]): string {
  const nodes = Object.entries(NODES).flatMap(([type, form]) => {
    const own = properties.filter(({ name }) => form.test(name))
    const entries = own.map(({ name, value }) => [name.replace(form, ''), NAMED.has(name) ? { name: value } : value])
    return own.length === 0 ? [] : [{ '@type': type, ...Object.fromEntries(entries) }]
  })
  const json = JSON.stringify(nodes.length === 1 ? nodes[0] : nodes, null, 2)
  // `</script>` in a value must not end the element.
  return `<script type="application/ld+json">\n${json.replaceAll('<', '\\u003c')}\n</script>`
}

/** One tag as HTML. Open Graph uses `property`, the rest `name`. */
export function htmlOf({ element, name, value }: BlockTag): string {
  if (element === 'title') return `<title>${escaped(value)}</title>`
  if (element === 'link' && name === 'oembed') {
    return `<link rel="alternate" type="application/json+oembed" href="${escaped(value)}">`
  }
  if (element === 'link') return `<link rel="${escaped(name)}" href="${escaped(value)}">`
  const attribute = /^(?:og|article|fb|book|profile|product):/.test(name) ? 'property' : 'name'
  return `<meta ${attribute}="${escaped(name)}" content="${escaped(value)}">`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
