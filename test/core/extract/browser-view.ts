import { type DefaultTreeAdapterTypes, parse } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const HTML = 'http://www.w3.org/1999/xhtml'

/** A page's metadata as seen by a browser without scripting, in source order, one line for each element. */
export function browserView(html: string): string[] {
  const found: { at: number; line: string }[] = []
  const document = parse(html, { scriptingEnabled: false, sourceCodeLocationInfo: true })
  const visit = (node: Node) => {
    if ('tagName' in node && node.namespaceURI === HTML) {
      const line = lineOf(node)
      if (line !== undefined) found.push({ at: node.sourceCodeLocation?.startOffset ?? 0, line })
    }
    // The content of a template is not among its child nodes.
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(document)
  const lines = found.toSorted((a, b) => a.at - b.at).map(({ line }) => line)
  const first = (word: string) => lines.find((line) => line.startsWith(word)) ?? `${word}-`
  const others = lines.filter((line) => !line.startsWith('html ') && !line.startsWith('base '))
  return [first('html '), first('base '), ...others]
}

function lineOf(element: Element): string | undefined {
  const { name, content, href, lang, rel, type } = Object.fromEntries(
    element.attrs.map((attribute): [string, string] => [attribute.name, attribute.value]),
  )
  switch (element.tagName) {
    case 'html':
      return lang === undefined ? undefined : `html ${lang}`
    case 'base':
      return href === undefined ? undefined : `base ${href}`
    case 'meta':
      return name === undefined || content === undefined ? undefined : `meta ${name}=${content}`
    case 'link':
      return rel !== 'icon' || href === undefined ? undefined : `link ${href}`
    case 'title':
      return `title ${textOf(element)}`
    case 'script':
      return type === 'application/ld+json' ? `json-ld ${textOf(element)}` : undefined
    default:
      return undefined
  }
}

function textOf(element: Element): string {
  return element.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
}
