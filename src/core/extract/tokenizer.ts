import {
  APOSTROPHE,
  BANG,
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
import { beginsSection, bogusCommentEnd, declarationEnd, SECTION_MARK_BYTES, sectionEnd } from './declarations.ts'
import { ATTRIBUTES, type AttributeName, SLOT, TAGS } from './html-names.ts'
import type { Range } from './range.ts'
import { RawTextSearch } from './raw-text.ts'

/**
 * A tag of which the end has not come yet is read again from its start when more bytes come. One that is longer than
 * this waits until twice as many bytes are there, so that all readings together stay linear.
 */
const SHORT_TAG_BYTES = 1_024

export type Token = 'text' | 'start' | 'end' | 'done'

/**
 * The tokenizer of the HTML Standard, over the bytes of an encoding in which those of `<>"'=&/` and white space mean
 * nothing else. It makes no strings: names are looked up in tables, values are ranges. Comments and doctypes are stepped
 * over. Every byte is looked at a bounded number of times, also when the page comes in many parts.
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

  /** Up to here no markup begins in the text, or no end was found of the comment, at `end`. */
  #textSearched = 0
  #commentSearched = 0
  /** The tag at `end` is read again when so many bytes are there. */
  #tagNeeds = 0
  #rawText: RawTextSearch | null = null
  #isWhole: boolean

  /** @param isWhole whether `bytes` is all of the page, or `grow` will be called with more */
  constructor(
    public bytes: Uint8Array,
    isWhole = true,
  ) {
    this.#isWhole = isWhole
  }

  /** Goes on with more of the page: the bytes so far and those behind them. */
  grow(bytes: Uint8Array, isWhole: boolean): void {
    this.bytes = bytes
    this.#isWhole = isWhole
  }

  /** Reads on to the next token. After 'done' there is none, unless the page grows. */
  next(): Token {
    const { bytes } = this
    let at = this.end
    for (;;) {
      const textStart = at
      at = markupStart(bytes, Math.max(at, this.#textSearched))
      if (at >= bytes.length && !this.#isWhole) return this.#waitInText(textStart)
      if (at > textStart) {
        this.start = textStart
        this.end = at
        return 'text'
      }
      if (at >= bytes.length) return this.#done()
      if (bytes.length < this.#tagNeeds && !this.#isWhole) return this.#wait(at)
      const next = bytes[at + 1]!
      if (isLetter(next)) return this.#readTag(at, at + 1, 'start')
      if (next === SLASH && isLetter(bytes[at + 2] ?? 0)) return this.#readTag(at, at + 2, 'end')
      const searched = this.#commentSearched
      if (next === BANG && this.inForeignContent && beginsSection(bytes, at + 2)) {
        const start = at + 2 + SECTION_MARK_BYTES
        const end = sectionEnd(bytes, start, searched)
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

  /** Whether the last tag has the attribute, with or without a value. */
  has(name: AttributeName): boolean {
    return (this.#present & (1 << SLOT[name])) !== 0
  }

  /** Whether the last tag has one of these attributes: faster than asking for each by its name. */
  hasAny(attributeBits: number): boolean {
    return (this.#present & attributeBits) !== 0
  }

  /** The undecoded value of an attribute of the last tag; null when it has none. */
  attribute(name: AttributeName): Range | null {
    if (!this.has(name)) return null
    const slot = SLOT[name]
    return { start: this.#valueStart[slot]!, end: this.#valueEnd[slot]! }
  }

  /**
   * Steps over the content of the raw text element that was just opened; its end tag is the next token, if there is one.
   * Null when the end has not come yet: call again when the page has grown, before anything else.
   */
  readRawText(): Range | null {
    const start = this.end
    this.#rawText ??= new RawTextSearch(this.tag, start)
    const end = this.#rawText.end(this.bytes)
    if (end === null && !this.#isWhole) return null
    this.#rawText = null
    this.end = end ?? this.bytes.length
    return { start, end: this.end }
  }

  #done(): Token {
    this.start = this.end = this.bytes.length
    return 'done'
  }

  /** The token at `at` is read again when the page has grown. */
  #wait(at: number): Token {
    this.start = this.end = at
    return 'done'
  }

  #waitInText(at: number): Token {
    // The last byte may be a `<` that only the next one makes markup.
    this.#textSearched = Math.max(at, this.bytes.length - 1)
    return this.#wait(at)
  }

  #waitInComment(at: number): Token {
    this.#commentSearched = this.bytes.length
    return this.#wait(at)
  }

  #waitInTag(at: number): Token {
    const { length } = this.bytes
    const read = length - at
    this.#tagNeeds = read > SHORT_TAG_BYTES ? length + read : 0
    return this.#wait(at)
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
    // A tag that the page's end cuts off is no tag.
    if (end < 0) return this.#isWhole ? this.#done() : this.#waitInTag(start)
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
