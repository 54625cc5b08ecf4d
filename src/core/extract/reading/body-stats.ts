import { asciiBytes, IS_SPACE } from './ascii.ts'
import { MOUNT_IDS, MOUNT_TAGS } from './html-names.ts'
import { equalsIgnoringCase, type Range } from './range.ts'
import type { Tokenizer } from './tokenizer.ts'

const PASSWORD = asciiBytes('password')
const SUBMIT = asciiBytes('submit')

/** The maximum number of noscript texts to keep. A text that asks for JavaScript is one of the first. */
const MAX_NOSCRIPT_TEXTS = 8

/** The maximum number of runs of visible text to keep. Pages recognized by their words are short. */
const MAX_TEXTS = 50

/** Text beyond this many characters is not counted. The highest limit of a rule is 1,500. */
const MAX_COUNTED_TEXT = 2_000

/** Statistics of a page's body before scripts run. Lengths are characters except white space, exact only for UTF-8. */
export type BodyStats = ReturnType<BodyStatsCounter['stats']>

/** Collects the statistics while the sieve reads the page. */
export class BodyStatsCounter {
  #textLength = 0
  #scriptCount = 0
  isInNoscript = false
  #hasPasswordField = false
  readonly #texts: Range[] = []
  readonly #noscriptTexts: Range[] = []
  /** `depth` counts open elements with the mount point's tag name, to find its end tag; 0 once it is closed. */
  #mount: { selector: string; tag: string; depth: number; textBefore: number; textAfter: number } | null = null

  /** Whether enough text was counted for all rules. */
  get hasEnoughText(): boolean {
    return this.#textLength > MAX_COUNTED_TEXT
  }

  text(bytes: Uint8Array, { start, end }: Range): void {
    const length = visibleLength(bytes, start, end)
    if (length === 0) return
    if (this.isInNoscript) {
      if (this.#noscriptTexts.length < MAX_NOSCRIPT_TEXTS) this.#noscriptTexts.push({ start, end })
      return
    }
    this.#textLength += length
    this.#keep({ start, end })
  }

  #keep(text: Range): void {
    if (this.#texts.length < MAX_TEXTS) this.#texts.push(text)
  }

  #input(tokenizer: Tokenizer, type: Range): void {
    if (equalsIgnoringCase(tokenizer.bytes, type, PASSWORD)) this.#hasPasswordField = true
    else if (equalsIgnoringCase(tokenizer.bytes, type, SUBMIT)) {
      const label = tokenizer.attribute('value')
      if (label !== null) this.#keep(label)
    }
  }

  /** Processes a start tag of the body. */
  open(tokenizer: Tokenizer): void {
    const { tag } = tokenizer
    const inputType = tag === 'input' ? tokenizer.attribute('type') : null
    if (inputType !== null) this.#input(tokenizer, inputType)
    if (tag === 'noscript') this.isInNoscript = true
    else if (this.#mount !== null) {
      if (this.#mount.tag === tag && this.#mount.depth > 0) this.#mount.depth++
    } else {
      const selector = this.#mountSelector(tokenizer)
      if (selector !== null) this.#mount = { selector, tag, depth: 1, textBefore: this.#textLength, textAfter: -1 }
    }
  }

  /** Processes an end tag of the body. */
  close(tag: string): void {
    if (tag === 'noscript') this.isInNoscript = false
    const mount = this.#mount
    if (mount === null || mount.tag !== tag || mount.depth === 0) return
    mount.depth--
    if (mount.depth === 0) mount.textAfter = this.#textLength
  }

  script(): void {
    this.#scriptCount++
  }

  stats() {
    const mount = this.#mount
    return {
      textLength: this.#textLength,
      /** Script elements that a browser would run. */
      scriptCount: this.#scriptCount,
      /** The element that a framework renders into, and the length of the text it already contains. */
      mountPoint: mount && {
        selector: mount.selector,
        textLength: (mount.depth === 0 ? mount.textAfter : this.#textLength) - mount.textBefore,
      },
      hasPasswordField: this.#hasPasswordField,
      /** The first non-blank runs of text, and the labels of buttons that are `input` elements. */
      texts: this.#texts as readonly Range[],
      /** The first non-blank texts of noscript elements. */
      noscriptTexts: this.#noscriptTexts as readonly Range[],
    }
  }

  #mountSelector(tokenizer: Tokenizer): string | null {
    if (MOUNT_TAGS.has(tokenizer.tag)) return tokenizer.tag
    const id = tokenizer.attribute('id')
    if (id === null) return null
    const name = MOUNT_IDS.find(tokenizer.bytes, id.start, id.end)
    return name === undefined ? null : `#${name}`
  }
}

/** Counts bytes that are neither white space nor UTF-8 continuation bytes. */
function visibleLength(bytes: Uint8Array, start: number, end: number): number {
  let length = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (IS_SPACE[byte] === 0 && (byte & 0xc0) !== 0x80) length++
  }
  return length
}
