import { asciiBytes, matchesIgnoringCase } from './ascii.ts'
import { RAW_TEXT_TAGS } from './html-names.ts'
import { type Range, trimRange } from './range.ts'
import { Tokenizer } from './tokenizer.ts'

/** The part of a page that is searched. The longest real heads, with all styles inline, are half as long. */
const MAX_SCANNED_BYTES = 262_144

/** The maximum number of bytes to read from an attribute. `text/html; charset=utf-8` is one of the longer values. */
const MAX_VALUE_BYTES = 256

const CONTENT_TYPE = asciiBytes('content-type')

/** The encoding labels of meta elements, in order and unchecked; not those in scripts, comments and templates. */
export function* metaCharsets(bytes: Uint8Array): Generator<string> {
  const tokenizer = new Tokenizer(bytes.subarray(0, MAX_SCANNED_BYTES))
  let templates = 0
  for (let token = tokenizer.next(); token !== 'done'; token = tokenizer.next()) {
    if (token === 'text') continue
    const { tag } = tokenizer
    const isStart = token === 'start'
    if (tag === 'template') templates = Math.max(0, templates + (isStart ? 1 : -1))
    if (!isStart) continue
    const label = tag === 'meta' && templates === 0 ? labelOf(tokenizer) : null
    if (label !== null) yield label
    if (RAW_TEXT_TAGS.has(tag)) tokenizer.readRawText()
  }
}

/** https://html.spec.whatwg.org/multipage/semantics.html#charset */
function labelOf(tokenizer: Tokenizer): string | null {
  const { bytes } = tokenizer
  const charset = tokenizer.attribute('charset')
  if (charset !== null) return textOf(bytes, charset)
  const pragma = tokenizer.attribute('http-equiv')
  const content = tokenizer.attribute('content')
  // Browsers don't accept `Content-Type` with a space before or after it.
  if (pragma === null || content === null || pragma.end - pragma.start !== CONTENT_TYPE.length) return null
  if (!matchesIgnoringCase(bytes, pragma.start, CONTENT_TYPE)) return null
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
