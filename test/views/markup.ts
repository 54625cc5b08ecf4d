import { type DefaultTreeAdapterTypes, parse } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node

/** An element as a browser would parse it, including SVG and MathML. */
export interface MarkupElement {
  tag: string
  attributes: Record<string, string>
  text: string
}

/** Every element of a page in document order, read by a parser that follows the HTML Standard. */
export function elementsOf(html: string): MarkupElement[] {
  const found: MarkupElement[] = []
  const walk = (node: Node): string => {
    if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value
    const children = 'childNodes' in node ? node.childNodes : []
    if (!('tagName' in node)) return children.map(walk).join('')
    const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]))
    const element: MarkupElement = { tag: node.tagName, attributes, text: '' }
    found.push(element)
    element.text = children.map(walk).join('')
    return element.text
  }
  walk(parse(`<!doctype html>${html}`))
  return found
}

/** Parse errors of a page, by the HTML Standard. */
export function faultsOf(html: string): string[] {
  const faults: string[] = []
  parse(`<!doctype html>${html}`, {
    sourceCodeLocationInfo: true,
    onParseError: ({ code, startOffset }) => faults.push(`${code}: ${html.slice(startOffset - 60, startOffset + 20)}`),
  })
  return faults
}

/** The text of the page, white space collapsed. */
export function textOf(html: string): string {
  return (elementsOf(html).find(({ tag }) => tag === 'body')?.text ?? '').replace(/\s+/g, ' ').trim()
}
