import { TextReader } from './reading/text.ts'
import { Tokenizer } from './reading/tokenizer.ts'

/**
 * Returns the title of an SVG document, or '' if it has none: the first `<title>` that is a child of the root element.
 * Others are tooltips.
 * @param bytes the start of the document
 */
export function svgTitle(bytes: Uint8Array): string {
  const tokenizer = new Tokenizer(bytes)
  const reader = new TextReader(bytes, 'utf-8')
  reader.isXml = true
  tokenizer.inForeignContent = true
  let depth = 0
  let title: string | null = null
  for (let token = tokenizer.next(); token !== 'done'; token = tokenizer.next()) {
    if (token === 'text') {
      // The end of a CDATA section is part of its token.
      if (title !== null) title += reader.text(tokenizer).replace(/\]\]>$/, '')
    } else if (token === 'end') {
      if (title !== null && tokenizer.tag === 'title') break
      depth--
    } else {
      if (depth === 0) tokenizer.readPrefixOf('svg')
      if (depth === 0 && tokenizer.tag !== 'svg') return ''
      if (tokenizer.selfClosing) continue
      if (depth === 1 && tokenizer.tag === 'title') title ??= ''
      depth++
    }
  }
  return title ?? ''
}
