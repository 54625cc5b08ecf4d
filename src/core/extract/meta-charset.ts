import { asciiBytes } from './ascii.ts'
import { RAW_TEXT_TAGS } from './html-names.ts'
import { equalsIgnoringCase, type Range, trimRange } from './range.ts'
import { Tokenizer } from './tokenizer.ts'

/** An encoding that a meta element declares. */
export interface Declaration {
  /** As written on the page; may be any text. */
  label: string
  /** Whether it is where browsers look for one. */
  isInTime: boolean
}

/** Browsers search this far for a declaration in any case. */
export const PRESCAN_BYTES = 1_024

/** Bytes that are searched for meta elements: the longest real heads, with all styles inline, are half as long. */
const MAX_SCANNED_BYTES = 262_144

/** Most bytes of an attribute to read: `text/html; charset=utf-8` is one of the longer values. */
const MAX_VALUE_BYTES = 256

/** Elements that may be in a head; any other ends it. */
const HEAD_TAGS: ReadonlySet<string> = new Set('html head title base meta link style script noscript object'.split(' '))

const CONTENT_TYPE = asciiBytes('content-type')

/**
 * The encodings that meta elements declare, in document order; text in scripts and comments does not count. Browsers
 * look up to the first tag that does not belong in a head, and in the first 1,024 bytes in any case.
 * Source: Chromium, HTMLMetaCharsetParser::CheckForMetaCharset. Unlike there, noscript may contain anything.
 */
export function* metaCharsets(bytes: Uint8Array): Generator<Declaration> {
  const tokenizer = new Tokenizer(bytes.subarray(0, MAX_SCANNED_BYTES))
  let inHead = true
  let inNoscript = false
  let templates = 0
  for (let token = tokenizer.next(); token !== 'done'; token = tokenizer.next()) {
    if (token === 'text') continue
    const { tag } = tokenizer
    const isStart = token === 'start'
    if (tag === 'noscript') inNoscript = isStart
    else if (tag === 'template') templates = Math.max(0, templates + (isStart ? 1 : -1))
    if (!inNoscript && !staysInHead(tag, isStart)) inHead = false
    if (!isStart) continue
    // The content of templates is not part of the page.
    const label = tag === 'meta' && templates === 0 ? labelOf(tokenizer) : null
    if (label !== null) yield { label, isInTime: inHead || tokenizer.start < PRESCAN_BYTES }
    if (RAW_TEXT_TAGS.has(tag)) tokenizer.readRawText()
  }
}

function staysInHead(tag: string, isStart: boolean): boolean {
  return HEAD_TAGS.has(tag) && (isStart || (tag !== 'head' && tag !== 'html'))
}

/** https://html.spec.whatwg.org/multipage/semantics.html#charset */
function labelOf(tokenizer: Tokenizer): string | null {
  const { bytes } = tokenizer
  const charset = tokenizer.attribute('charset')
  if (charset !== null) return textOf(bytes, charset)
  const pragma = tokenizer.attribute('http-equiv')
  const content = tokenizer.attribute('content')
  if (pragma === null || content === null || !equalsIgnoringCase(bytes, pragma, CONTENT_TYPE)) return null
  return labelIn(textOf(bytes, content))
}

/** https://html.spec.whatwg.org/multipage/urls-and-fetching.html#extracting-character-encodings-from-meta-elements */
function labelIn(content: string): string | null {
  const mark = /charset[\t\n\f\r ]*=[\t\n\f\r ]*/i.exec(content)
  if (mark === null) return null
  const rest = content.slice(mark.index + mark[0].length)
  const quote = rest[0]
  if (quote !== '"' && quote !== "'") return /^[^\t\n\f\r ;]*/.exec(rest)![0]
  const end = rest.indexOf(quote, 1)
  return end < 0 ? null : rest.slice(1, end)
}

function textOf(bytes: Uint8Array, range: Range): string {
  const { start, end } = trimRange(bytes, range)
  return String.fromCharCode(...bytes.subarray(start, Math.min(end, start + MAX_VALUE_BYTES)))
}
