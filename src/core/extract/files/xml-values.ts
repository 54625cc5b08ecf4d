import { TextReader } from '../reading/text.ts'
import { Tokenizer } from '../reading/tokenizer.ts'
import { type EncodedPage, toAsciiCompatible } from '../reading/transcode.ts'

/** Attributes of the root are searched for in this many bytes. Podcasts declare up to 20 namespaces there, in 1 KB. */
const MAX_ROOT_BYTES = 4_096

/** https://www.w3.org/TR/xml/#sec-lang-tag and https://www.w3.org/TR/xmlbase/ */
const ROOT_ATTRIBUTE = /\s(xml:lang|xml:base)\s*=\s*["']([^"']*)["']/g

/**
 * Returns values of an XML document by their paths, without the root unless that is `feed`: the first text of an element
 * that is not blank (`channel/title`), the first `href` of a relation (`feed/link@self`) or without one, and `xml:lang`
 * and `xml:base` of the root. Names are in lower case, without the prefix of the root. Elements beside these paths are
 * skipped up to their end tag, so that errors in the markup of items do not matter. Takes time proportional to the size.
 * @param document the document or its start; an element that does not end is ignored
 * @param paths the paths of the values to return
 */
export function xmlValues(document: EncodedPage, paths: readonly string[]): Map<string, string> {
  const { bytes, encoding } = toAsciiCompatible(document)
  const tokenizer = new Tokenizer(bytes)
  const reader = new TextReader(bytes, encoding)
  reader.isXml = true
  tokenizer.inForeignContent = true
  const parents = [...new Set(paths.map((path) => `${path.slice(0, path.lastIndexOf('/'))}/`))]
  const values = new Map<string, string>()
  const add = (path: string, value: string) => {
    if (paths.includes(path) && value.trim() !== '' && !values.has(path)) values.set(path, value)
  }
  /** The names of the open elements that have values in them. */
  const open: string[] = []
  let prefix = ''
  /** The element that is read up to its end, or skipped if `text` is null; `depth` counts open elements of its name. */
  let inner: { path: string; name: string; text: string | null; depth: number } | null = null

  for (let token = tokenizer.next(); token !== 'done'; token = tokenizer.next()) {
    if (token === 'text') {
      // The end of a CDATA section is part of its token.
      if (typeof inner?.text === 'string') inner.text += reader.text(tokenizer).replace(/\]\]>$/, '')
      continue
    }
    let { name } = tokenizer
    if (open.length === 0) prefix = name.slice(0, name.indexOf(':') + 1)
    if (name.startsWith(prefix)) name = name.slice(prefix.length)
    if (inner !== null) {
      if (name === inner.name && !tokenizer.selfClosing) inner.depth += token === 'start' ? 1 : -1
      if (inner.depth > 0) continue
      add(inner.path, inner.text ?? '')
      inner = null
    } else if (token === 'end') open.pop()
    else {
      const path = [...open.slice(open[0] === 'feed' ? 0 : 1), name].join('/')
      const rel = tokenizer.attribute('rel')
      const href = tokenizer.attribute('href')
      if (href !== null) add(rel === null ? path : `${path}@${reader.attribute(rel)}`, reader.attribute(href))
      const attributes = open.length > 0 ? '' : reader.raw(tokenizer, MAX_ROOT_BYTES)
      for (const [, attribute, value] of attributes.matchAll(ROOT_ATTRIBUTE)) add(attribute!, value!)
      if (tokenizer.selfClosing) continue
      // XHTML is no file of these formats.
      if (open.length === 0 ? name !== 'html' : parents.some((one) => one.startsWith(`${path}/`))) open.push(name)
      else inner = { path, name, text: paths.includes(path) ? '' : null, depth: 1 }
    }
  }
  return values
}
