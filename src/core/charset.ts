import sniffEncoding from 'html-encoding-sniffer'

import { RAW_TEXT_TAGS } from './extract/names.ts'
import { Tokenizer } from './extract/tokenizer.ts'

/** How a page's bytes become text, and what said so. */
export interface Charset {
  /** A name from the WHATWG Encoding Standard, as `TextDecoder` takes it. */
  encoding: string
  from: 'mark' | 'header' | 'meta' | 'valid utf-8' | 'fallback'
}

/** What there is to judge a page's encoding by. */
export interface CharsetEvidence {
  bytes: Uint8Array
  /** The Content-Type header as it came, or ''. */
  contentType: string
  /** Whether `bytes` is the whole page; a cut one may end inside a character. */
  isWhole: boolean
}

/** The standard searches this far for a declaration, whatever stands there. */
const PRESCAN_BYTES = 1_024

/** What may stand in a head; anything else ends it. */
const HEAD_TAGS: ReadonlySet<string> = new Set([
  'html',
  'head',
  'title',
  'base',
  'meta',
  'link',
  'style',
  'script',
  'noscript',
])

/**
 * Byte-order mark, Content-Type, `<meta>`, valid UTF-8, windows-1252. A page that declares an encoding too late for a
 * browser to see it is read as the browser reads it; only one that declares nothing has the benefit of the doubt.
 * https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
 */
export function sniffCharset({ bytes, contentType, isWhole }: CharsetEvidence): Charset {
  const marked = markedEncoding(bytes)
  if (marked !== null) return { encoding: marked, from: 'mark' }
  const named = knownEncoding(charsetParameter(contentType))
  if (named !== null) return { encoding: named, from: 'header' }
  const declared = declaredEncoding(bytes, PRESCAN_BYTES) ?? declaredEncoding(bytes, headLength(bytes))
  if (declared !== null) return { encoding: declared, from: 'meta' }
  const isDeclaredTooLate = declaredEncoding(bytes, bytes.length) !== null
  return !isDeclaredTooLate && isUtf8(bytes, isWhole)
    ? { encoding: 'utf-8', from: 'valid utf-8' }
    : { encoding: 'windows-1252', from: 'fallback' }
}

/** https://encoding.spec.whatwg.org/#bom-sniff */
function markedEncoding([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return null
}

/** https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding */
function declaredEncoding(bytes: Uint8Array, withinBytes: number): string | null {
  return knownEncoding(sniffEncoding(bytes, { defaultEncoding: null, maxPrescanBytes: withinBytes }))
}

/**
 * How far browsers look for a declaration beyond the standard's bytes: to the first tag that does not belong in a head.
 * Source: Chromium, HTMLMetaCharsetParser::CheckForMetaCharset
 */
function headLength(bytes: Uint8Array): number {
  const tokenizer = new Tokenizer(bytes)
  for (let token = tokenizer.next(); token !== 'done'; token = tokenizer.next()) {
    if (token === 'text') continue
    const { tag } = tokenizer
    const staysInHead = HEAD_TAGS.has(tag) && !(token === 'end' && (tag === 'head' || tag === 'html'))
    if (!staysInHead) return tokenizer.start
    if (token === 'start' && RAW_TEXT_TAGS.has(tag)) tokenizer.readRawText()
  }
  return bytes.length
}

/** The first charset parameter of a Content-Type, unquoted; servers use both kinds of quotes. */
function charsetParameter(contentType: string): string {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1] ?? ''
}

/**
 * A label's encoding name, or null for an unknown one. Labels of the standard's `replacement` encoding count as unknown
 * (`TextDecoder` refuses them): it would turn the whole page into one U+FFFD.
 */
function knownEncoding(label: string | null): string | null {
  if (!label) return null
  try {
    return new TextDecoder(label as Bun.Encoding).encoding
  } catch {
    return null
  }
}

function isUtf8(bytes: Uint8Array, isWhole: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole })
    return true
  } catch {
    return false
  }
}
