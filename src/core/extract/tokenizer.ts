import {
  APOSTROPHE,
  BANG,
  asciiBytes,
  ENDS_ATTRIBUTE_NAME,
  ENDS_TAG_NAME,
  ENDS_VALUE,
  EQUALS,
  GREATER,
  HYPHEN,
  IS_SPACE,
  isLetter,
  LESS,
  QUESTION,
  QUOTE,
  RIGHT_BRACKET,
  SLASH,
} from './ascii.ts'
import { ATTRIBUTES, type AttributeName, SLOT, TAGS } from './html-names.ts'
import type { Range } from './range.ts'
import { rawTextEnd } from './raw-text.ts'

const CDATA = asciiBytes('[CDATA[')

export type Token = 'text' | 'start' | 'end' | 'done'

/**
 * The tokenizer of the HTML Standard over undecoded bytes, for encodings in which the bytes of `<>"'=&/` and white
 * space are never part of other characters. It creates no strings: names are looked up, values are ranges. Comments and
 * doctypes are skipped. Every byte is read a bounded number of times.
 * Source: https://html.spec.whatwg.org/multipage/parsing.html#tokenization
 */
export class Tokenizer {
  /** Range of the last token. */
  start = 0
  end = 0
  /** Name of the last tag; '' when no rule uses it. */
  tag = ''
  /** Range of its name, known or not. */
  nameStart = 0
  nameEnd = 0
  selfClosing = false
  /** Set by the caller inside svg and math: only there `<![CDATA[` is text. */
  inForeignContent = false

  /** Bit n is set when the last tag has the attribute of slot n. */
  #present = 0
  readonly #valueStart = new Int32Array(ATTRIBUTES.names.length)
  readonly #valueEnd = new Int32Array(ATTRIBUTES.names.length)

  constructor(readonly bytes: Uint8Array) {}

  /** Reads the next token; 'done' at the end of the page. */
  next(): Token {
    const { bytes } = this
    let at = this.end
    for (;;) {
      const textStart = at
      at = markupStart(bytes, at)
      if (at > textStart) {
        this.start = textStart
        this.end = at
        return 'text'
      }
      if (at >= bytes.length) return this.#done()
      const next = bytes[at + 1]!
      if (isLetter(next)) return this.#readTag(at, at + 1, 'start')
      if (next === SLASH && isLetter(bytes[at + 2] ?? 0)) return this.#readTag(at, at + 2, 'end')
      if (next === BANG && this.inForeignContent && spellsExactly(bytes, at + 2, CDATA)) {
        this.start = at + 2 + CDATA.length
        const end = sectionEnd(bytes, this.start)
        this.end = Math.min(end + 3, bytes.length)
        return 'text'
      }
      at = next === BANG ? declarationEnd(bytes, at + 2) : bogusCommentEnd(bytes, at + 2)
    }
  }

  /** Whether the last tag has the attribute, with or without a value. */
  has(name: AttributeName): boolean {
    return (this.#present & (1 << SLOT[name])) !== 0
  }

  /** The undecoded value of an attribute of the last tag; null when it has none. */
  attribute(name: AttributeName): Range | null {
    if (!this.has(name)) return null
    const slot = SLOT[name]
    return { start: this.#valueStart[slot]!, end: this.#valueEnd[slot]! }
  }

  /** Skips the content of the raw text element that was just opened, up to its end tag. */
  readRawText(): Range {
    const start = this.end
    this.end = rawTextEnd(this.bytes, start, this.tag)
    return { start, end: this.end }
  }

  #done(): Token {
    this.start = this.end = this.bytes.length
    return 'done'
  }

  #readTag(start: number, nameStart: number, kind: 'start' | 'end'): Token {
    const { bytes } = this
    let at = nameStart
    while (at < bytes.length && ENDS_TAG_NAME[bytes[at]!] === 0) at++
    this.tag = TAGS.find(bytes, nameStart, at) ?? ''
    this.nameStart = nameStart
    this.nameEnd = at
    this.#present = 0
    this.selfClosing = false
    const end = this.#readAttributes(at)
    // A tag that is cut off by the end of the page does not count.
    if (end < 0) return this.#done()
    this.start = start
    this.end = end
    return kind
  }

  /** Reads from the end of the tag name; returns the position after `>`, or -1 when the page ends before. */
  #readAttributes(from: number): number {
    const { bytes } = this
    const { length } = bytes
    let at = from
    for (;;) {
      while (at < length && IS_SPACE[bytes[at]!] === 1) at++
      if (at >= length) return -1
      if (bytes[at] === GREATER) return at + 1
      if (bytes[at] === SLASH) {
        at++
        this.selfClosing = bytes[at] === GREATER
        continue
      }
      const nameStart = at++ // A name may begin with `=`.
      while (at < length && ENDS_ATTRIBUTE_NAME[bytes[at]!] === 0) at++
      const nameEnd = at
      while (at < length && IS_SPACE[bytes[at]!] === 1) at++
      if (bytes[at] !== EQUALS) {
        this.#keep(nameStart, nameEnd, nameEnd, nameEnd)
        continue
      }
      at++
      while (at < length && IS_SPACE[bytes[at]!] === 1) at++
      const isQuoted = bytes[at] === QUOTE || bytes[at] === APOSTROPHE
      const valueStart = isQuoted ? at + 1 : at
      const valueEnd = isQuoted ? quotedEnd(bytes, at) : unquotedEnd(bytes, at)
      this.#keep(nameStart, nameEnd, valueStart, valueEnd)
      at = isQuoted ? valueEnd + 1 : valueEnd
    }
  }

  /** The first of several attributes with the same name counts. */
  #keep(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    const slot = ATTRIBUTES.indexOf(this.bytes, nameStart, nameEnd)
    if (slot < 0 || (this.#present & (1 << slot)) !== 0) return
    this.#present |= 1 << slot
    this.#valueStart[slot] = valueStart
    this.#valueEnd[slot] = valueEnd
  }
}

/** Position of the quote that closes the one at `at`. */
function quotedEnd(bytes: Uint8Array, at: number): number {
  const { length } = bytes
  const quote = bytes[at]
  let end = at + 1
  while (end < length && bytes[end] !== quote) end++
  return end
}

/** Slashes and quotes are part of an unquoted value. */
function unquotedEnd(bytes: Uint8Array, at: number): number {
  const { length } = bytes
  let end = at
  while (end < length && ENDS_VALUE[bytes[end]!] === 0) end++
  return end
}

function spellsExactly(bytes: Uint8Array, at: number, codes: Uint8Array): boolean {
  return codes.every((code, i) => bytes[at + i] === code)
}

/** Position of the next `<` that begins a tag, comment or declaration; any other `<` is text. */
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

/** Position after a construct that begins with `<!`: a comment, a doctype or a bogus comment. */
function declarationEnd(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== HYPHEN || bytes[from + 1] !== HYPHEN) return bogusCommentEnd(bytes, from)
  const text = from + 2
  if (bytes[text] === GREATER) return text + 1
  if (bytes[text] === HYPHEN && bytes[text + 1] === GREATER) return text + 2
  for (let at = text + 2; at < bytes.length; at++) {
    if (bytes[at] !== GREATER) continue
    if (bytes[at - 1] === HYPHEN && bytes[at - 2] === HYPHEN) return at + 1
    const bang = bytes[at - 1] === BANG && at - 3 >= text
    if (bang && bytes[at - 2] === HYPHEN && bytes[at - 3] === HYPHEN) return at + 1
  }
  return bytes.length
}

function bogusCommentEnd(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(GREATER, from)
  return end < 0 ? bytes.length : end + 1
}

/** Position of the `]]>` that ends a CDATA section. */
function sectionEnd(bytes: Uint8Array, from: number): number {
  for (let at = from + 2; at < bytes.length; at++) {
    if (bytes[at] === GREATER && bytes[at - 1] === RIGHT_BRACKET && bytes[at - 2] === RIGHT_BRACKET) return at - 2
  }
  return bytes.length
}
