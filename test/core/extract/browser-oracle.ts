import { type DefaultTreeAdapterTypes, parse } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const HTML = 'http://www.w3.org/1999/xhtml'

/** What a browser without scripting sees of a page's metadata, in source order: one line for each element. */
export function browserView(html: string): string[] {
  const found: { at: number; line: string }[] = []
  let language: string | undefined
  let base: string | undefined
  const document = parse(html, { scriptingEnabled: false, sourceCodeLocationInfo: true })
  const visit = (node: Node) => {
    if ('tagName' in node && node.namespaceURI === HTML) {
      const line = lineOf(node)
      if (line !== undefined) found.push({ at: node.sourceCodeLocation?.startOffset ?? 0, line })
      if (node.tagName === 'html') language ??= attribute(node, 'lang')
    }
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(document)
  found.sort((a, b) => a.at - b.at)
  base = found.find(({ line }) => line.startsWith('base '))?.line
  const lines = found.map(({ line }) => line).filter((line) => !line.startsWith('base '))
  return [`html ${language ?? '-'}`, base ?? 'base -', ...lines]
}

function lineOf(element: Element): string | undefined {
  switch (element.tagName) {
    case 'meta': {
      const name = attribute(element, 'name')
      const content = attribute(element, 'content')
      return name === undefined || content === undefined ? undefined : `meta ${name}=${content}`
    }
    case 'link': {
      const href = attribute(element, 'href')
      return attribute(element, 'rel') === 'icon' && href !== undefined ? `link ${href}` : undefined
    }
    case 'base': {
      const href = attribute(element, 'href')
      return href === undefined ? undefined : `base ${href}`
    }
    case 'title':
      return `title ${textOf(element)}`
    case 'script':
      return attribute(element, 'type') === 'application/ld+json' ? `json-ld ${textOf(element)}` : undefined
    default:
      return undefined
  }
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value
}

function textOf(element: Element): string {
  return element.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
}
