import {
  APOSTROPHE,
  asciiBytes,
  BANG,
  COLON,
  ENDS_ATTRIBUTE_NAME,
  ENDS_TAG_NAME,
  EQUALS,
  GREATER,
  IS_SPACE,
  isLetter,
  LESS,
  QUESTION,
  QUOTE,
  SLASH,
} from './ascii.ts'
import { quotedEnd, unquotedEnd } from './attribute-value.ts'
import { startsCdata, bogusCommentEnd, declarationEnd, CDATA_START_BYTES, cdataEnd } from './declarations.ts'
import { ATTRIBUTES, type AttributeName, SLOT, TAGS } from './html-names.ts'
import type { Range } from './range.ts'
import { RawTextSearch } from './raw-text.ts'
import { decoderOf } from './text.ts'

/**
 * An incomplete tag name or attribute is read again from its start when more bytes arrive. A longer one than this is
 * read again only when twice as many bytes are available, so that the total time is linear.
 */
const SHORT_PART_BYTES = 1_024

/** Longer prefixes are not recognized. Real ones have a few characters. */
const MAX_PREFIX_BYTES = 64

/** Longer names of elements are truncated. Custom elements and names with a prefix have up to 40 bytes. */
const MAX_NAME_BYTES = 100

export type Token = 'text' | 'start' | 'end' | 'done'

/**
 * The tokenizer of the HTML Standard, for ASCII-compatible encodings, in which the bytes of `<>"'=&/` and white space
 * are never part of other characters. It creates no strings: names are looked up in tables, and values are ranges.
 * Comments and doctypes are skipped. Every byte is read a bounded number of times, even if the page arrives in many
 * parts. Source: https://html.spec.whatwg.org/multipage/parsing.html#tokenization
 */
export class Tokenizer {
  /** Range of the last token. */
  start = 0
  end = 0
  /** Name of the last tag; '' when no rule uses it. */
  tag = ''
  /** Range of the name, even if no rule uses it. */
  nameStart = 0
  nameEnd = 0
  selfClosing = false
  /** Set by the caller inside svg and math, the only places where `<![CDATA[` starts a text. */
  inForeignContent = false
  /** Set by the caller to skip text outside CDATA sections. */
  skipsText = false

  /** Bit n is set if the last tag has the attribute of slot n. */
  #present = 0
  /** The prefix of the names in an XML document, with its colon: `h:` in `<h:html>`. */
  #prefix: Range | null = null
  readonly #valueStart = new Int32Array(ATTRIBUTES.names.length)
  readonly #valueEnd = new Int32Array(ATTRIBUTES.names.length)

  /** The positions up to which the incomplete text or comment at `end` has been searched for its end. */
  #textSearched = 0
  #commentSearched = 0
  /** Reading the incomplete tag at `end` resumes when the page has this many bytes. */
  #tagRetryAt = 0
  /** The position at which reading the tag resumes: after the last complete attribute; 0 if even the name is incomplete. */
  #tagResumesAt = 0
  #rawText: RawTextSearch | null = null
  #isWhole: boolean

  /** @param isWhole whether `bytes` is the whole page; otherwise `grow` will be called with more */
  constructor(
    public bytes: Uint8Array,
    isWhole = true,
  ) {
    this.#isWhole = isWhole
  }

  /** Adds bytes. @param bytes all bytes so far */
  grow(bytes: Uint8Array, isWhole: boolean): void {
    this.bytes = bytes
    this.#isWhole = isWhole
  }

  /** Reads the next token; 'done' when there are no more tokens until the page grows. */
  next(): Token {
    const { bytes } = this
    let at = this.end
    for (;;) {
      const textStart = at
      at = markupStart(bytes, Math.max(at, this.#textSearched))
      if (at >= bytes.length && !this.#isWhole) return this.#waitInText(textStart)
      if (at > textStart && !this.skipsText) {
        this.start = textStart
        this.end = at
        return 'text'
      }
      if (at >= bytes.length) return this.#wait(at)
      if (bytes.length < this.#tagRetryAt && !this.#isWhole) return this.#wait(at)
      const next = bytes[at + 1]!
      if (isLetter(next)) return this.#readTag(at, at + 1, 'start')
      if (next === SLASH && isLetter(bytes[at + 2] ?? 0)) return this.#readTag(at, at + 2, 'end')
      const searched = this.#commentSearched
      if (next === BANG && this.inForeignContent && startsCdata(bytes, at + 2)) {
        const start = at + 2 + CDATA_START_BYTES
        const end = cdataEnd(bytes, start, searched)
        if (end < 0 && !this.#isWhole) return this.#waitInComment(at)
        this.start = start
        this.end = end < 0 ? bytes.length : end
        return 'text'
      }
      const end = next === BANG ? declarationEnd(bytes, at + 2, searched) : bogusCommentEnd(bytes, at + 2, searched)
      if (end < 0 && !this.#isWhole) return this.#waitInComment(at)
      at = end < 0 ? bytes.length : end
    }
  }

  /**
   * Called at the root element of an XML document. If its name is `root` with a prefix, the prefix is ignored in all names.
   */
  readPrefixOf(root: string): void {
    const { bytes, nameStart, nameEnd } = this
    const colon = bytes.subarray(nameStart, nameEnd).indexOf(COLON)
    if (colon < 0 || colon > MAX_PREFIX_BYTES || TAGS.find(bytes, nameStart + colon + 1, nameEnd) !== root) return
    this.#prefix = { start: nameStart, end: nameStart + colon + 1 }
    this.tag = root
  }

  /** The name of the last tag in lower case, even if no rule uses it. */
  get name(): string {
    const name = this.bytes.subarray(this.nameStart, Math.min(this.nameEnd, this.nameStart + MAX_NAME_BYTES))
    return decoderOf('latin1').decode(name).toLowerCase()
  }

  /** Whether the last tag has the attribute, with or without a value. */
  has(name: AttributeName): boolean {
    return (this.#present & (1 << SLOT[name])) !== 0
  }

  /** Whether the last tag has one of these attributes: faster than checking each by name. */
  hasAny(attributeBits: number): boolean {
    return (this.#present & attributeBits) !== 0
  }

  /** The undecoded value of an attribute of the last tag; null when the tag does not have it. */
  attribute(name: AttributeName): Range | null {
    const slot = SLOT[name]
    if ((this.#present & (1 << slot)) === 0) return null
    return { start: this.#valueStart[slot]!, end: this.#valueEnd[slot]! }
  }

  /**
   * Skips and returns the content of the raw text element that was just opened; its end tag is the next token, if
   * there is one. Null when the end has not arrived: then call this method again after the next `grow`, before any
   * other method.
   * @param isInNoscript whether `</noscript>` ends the content too
   */
  readRawText(isInNoscript = false): Range | null {
    const start = this.end
    this.#rawText ??= new RawTextSearch(this.tag, start, isInNoscript, this.#prefixedName)
    const end = this.#rawText.end(this.bytes)
    if (end === null && !this.#isWhole) return null
    this.#rawText = null
    this.end = end ?? this.bytes.length
    return { start, end: this.end }
  }

  /** Returns 'done'; the token at `at` is read again when the page has grown. */
  #wait(at: number): Token {
    this.start = this.end = at
    return 'done'
  }

  #waitInText(at: number): Token {
    // The last byte may be a `<` that starts markup.
    this.#textSearched = Math.max(at, this.bytes.length - 1)
    return this.#wait(at)
  }

  #waitInComment(at: number): Token {
    this.#commentSearched = this.bytes.length
    return this.#wait(at)
  }

  #waitInTag(at: number): Token {
    const { length } = this.bytes
    const read = length - (this.#tagResumesAt || at)
    this.#tagRetryAt = read > SHORT_PART_BYTES ? length + read : 0
    return this.#wait(at)
  }

  #readTag(start: number, nameStart: number, kind: 'start' | 'end'): Token {
    const { bytes } = this
    let at = this.#tagResumesAt
    if (at === 0) {
      at = nameStart
      while (at < bytes.length && ENDS_TAG_NAME[bytes[at]!] === 0) at++
      this.tag = TAGS.find(bytes, this.#afterPrefix(nameStart), at) ?? ''
      this.nameStart = nameStart
      this.nameEnd = at
      this.#present = 0
      this.selfClosing = false
    }
    const end = at < bytes.length ? this.#readAttributes(at) : -1
    // A tag that is truncated by the end of the page is ignored.
    if (end < 0) return this.#isWhole ? this.#wait(bytes.length) : this.#waitInTag(start)
    this.#tagResumesAt = 0
    this.start = start
    this.end = end
    return kind
  }

  /** The name of the last tag in lower case; undefined in documents without a prefix. */
  get #prefixedName(): Uint8Array | undefined {
    if (this.#prefix === null) return undefined
    return asciiBytes(String.fromCharCode(...this.bytes.subarray(this.nameStart, this.nameEnd)).toLowerCase())
  }

  #afterPrefix(nameStart: number): number {
    if (this.#prefix === null) return nameStart
    const { start, end } = this.#prefix
    for (let i = start; i < end; i++) if (this.bytes[nameStart + i - start] !== this.bytes[i]) return nameStart
    return nameStart + end - start
  }

  /** Reads attributes up to the end of the tag; returns the position after `>`, or -1 when the tag is incomplete. */
  #readAttributes(from: number): number {
    const { bytes } = this
    const { length } = bytes
    let at = from
    for (;;) {
      while (at < length && IS_SPACE[bytes[at]!] === 1) at++
      this.#tagResumesAt = at
      if (bytes[at] === GREATER) return at + 1
      if (bytes[at] === SLASH) {
        at++
        if (at >= length) return -1
        this.selfClosing = bytes[at] === GREATER
        continue
      }
      const nameStart = at++ // A name may begin with `=`.
      while (at < length && ENDS_ATTRIBUTE_NAME[bytes[at]!] === 0) at++
      const nameEnd = at
      while (at < length && IS_SPACE[bytes[at]!] === 1) at++
      if (at >= length) return -1
      if (bytes[at] !== EQUALS) {
        this.#keep(nameStart, nameEnd, nameEnd, nameEnd)
        continue
      }
      at++
      while (at < length && IS_SPACE[bytes[at]!] === 1) at++
      const isQuoted = bytes[at] === QUOTE || bytes[at] === APOSTROPHE
      const valueEnd = isQuoted ? quotedEnd(bytes, at) : unquotedEnd(bytes, at)
      if (valueEnd >= length) return -1
      this.#keep(nameStart, nameEnd, isQuoted ? at + 1 : at, valueEnd)
      at = isQuoted ? valueEnd + 1 : valueEnd
    }
  }

  /** If an attribute is repeated, the first one is used. */
  #keep(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    const slot = ATTRIBUTES.indexOf(this.bytes, nameStart, nameEnd)
    if (slot < 0 || (this.#present & (1 << slot)) !== 0) return
    this.#present |= 1 << slot
    this.#valueStart[slot] = valueStart
    this.#valueEnd[slot] = valueEnd
  }
}

/** The next `<` that begins a tag, comment or declaration; any other `<` is text. */
function markupStart(bytes: Uint8Array, from: number): number {
  const { length } = bytes
  let at = from
  for (;;) {
    while (at < length && bytes[at] !== LESS) at++
    const next = bytes[at + 1]
    if (next === undefined) return length
    if (isLetter(next) || next === BANG || next === SLASH || next === QUESTION) return at
    at++
  }
}
