import sniffEncoding from 'html-encoding-sniffer'

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

/**
 * The standard searches 1,024 bytes for `<meta charset>`; real pages put it behind long comments and scripts, and
 * browsers find it there.
 */
const PRESCAN_BYTES = 65_536

/**
 * Byte-order mark, Content-Type, `<meta>`, valid UTF-8, windows-1252.
 * https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
 */
export function sniffCharset({ bytes, contentType, isWhole }: CharsetEvidence): Charset {
  const marked = markedEncoding(bytes)
  if (marked !== null) return { encoding: marked, from: 'mark' }
  const named = knownEncoding(charsetParameter(contentType))
  if (named !== null) return { encoding: named, from: 'header' }
  const declared = knownEncoding(sniffEncoding(bytes, { defaultEncoding: null, maxPrescanBytes: PRESCAN_BYTES }))
  if (declared !== null) return { encoding: declared, from: 'meta' }
  return isUtf8(bytes, isWhole)
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
