import { IS_SPACE } from './ascii.ts'
import { MOUNT_IDS, MOUNT_TAGS } from './names.ts'
import type { Range } from './range.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Texts of noscript elements that are kept: enough for a sentence that asks for scripts. */
const MAX_NOSCRIPT_TEXTS = 8

/** Runs of visible text that are kept: the pages that are recognised by their words have few. */
const MAX_TEXTS = 50

/** What a page shows without scripts. Lengths are characters that are not white space, in UTF-8; elsewhere about so. */
export interface BodyMeasure {
  textLength: number
  /** Elements with scripts that a browser would run. */
  scriptCount: number
  /** The element that a script is to fill, and the text it holds already. */
  mountPoint: { selector: string; textLength: number } | null
  /** The first runs of text that is not blank. */
  texts: readonly Range[]
  /** What is only there for browsers without scripts. */
  noscriptTexts: readonly Range[]
}

/** Measures the body while the sieve passes it. */
export class BodyGauge {
  #textLength = 0
  #scriptCount = 0
  #inNoscript = false
  readonly #texts: Range[] = []
  readonly #noscriptTexts: Range[] = []
  /** `depth` counts open elements of the mount point's name, so that its own end tag is known; 0 once it is closed. */
  #mount: { selector: string; tag: string; depth: number; textBefore: number; textAfter: number } | null = null

  constructor(readonly bytes: Uint8Array) {}

  get isInNoscript(): boolean {
    return this.#inNoscript
  }

  text({ start, end }: Range): void {
    const length = inkLength(this.bytes, start, end)
    if (length === 0) return
    if (this.#inNoscript) {
      if (this.#noscriptTexts.length < MAX_NOSCRIPT_TEXTS) this.#noscriptTexts.push({ start, end })
      return
    }
    this.#textLength += length
    if (this.#texts.length < MAX_TEXTS) this.#texts.push({ start, end })
  }

  /** A start tag of the body. */
  open(tokenizer: Tokenizer): void {
    const { tag } = tokenizer
    if (tag === 'noscript') this.#inNoscript = true
    else if (this.#mount !== null) {
      if (this.#mount.tag === tag && this.#mount.depth > 0) this.#mount.depth++
    } else {
      const selector = this.#mountSelector(tokenizer)
      if (selector !== null) {
        this.#mount = { selector, tag, depth: 1, textBefore: this.#textLength, textAfter: -1 }
      }
    }
  }

  /** An end tag of the body. */
  close(tag: string): void {
    if (tag === 'noscript') this.#inNoscript = false
    const mount = this.#mount
    if (mount === null || mount.tag !== tag || mount.depth === 0) return
    mount.depth--
    if (mount.depth === 0) mount.textAfter = this.#textLength
  }

  script(): void {
    this.#scriptCount++
  }

  measure(): BodyMeasure {
    const mount = this.#mount
    return {
      textLength: this.#textLength,
      scriptCount: this.#scriptCount,
      mountPoint: mount && {
        selector: mount.selector,
        textLength: (mount.depth === 0 ? mount.textAfter : this.#textLength) - mount.textBefore,
      },
      texts: this.#texts,
      noscriptTexts: this.#noscriptTexts,
    }
  }

  #mountSelector(tokenizer: Tokenizer): string | null {
    if (MOUNT_TAGS.has(tokenizer.tag)) return tokenizer.tag
    const id = tokenizer.attribute('id')
    if (id === null) return null
    const name = MOUNT_IDS.find(this.bytes, id.start, id.end)
    return name === undefined ? null : `#${name}`
  }
}

/** Bytes that are neither white space nor the second or later byte of a UTF-8 character. */
function inkLength(bytes: Uint8Array, start: number, end: number): number {
  let length = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (IS_SPACE[byte] === 0 && (byte & 0xc0) !== 0x80) length++
  }
  return length
}
