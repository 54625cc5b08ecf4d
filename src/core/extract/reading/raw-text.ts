import { RAW_TEXT_TAGS } from './html-names.ts'
import { BANG, asciiBytes, ENDS_TAG_NAME, GREATER, HYPHEN, LESS, SLASH, matchesIgnoringCase } from './ascii.ts'

/** The open part of `<!-- <script> … </script> -->` in a script. `</script>` is only text in the inner script. */
type Escape = 'none' | 'comment' | 'inner script'

const NOSCRIPT = asciiBytes('noscript')

const NAMES = new Map([...RAW_TEXT_TAGS].map((tag) => [tag, asciiBytes(tag)]))

/**
 * Finds the end of a raw text element's content: its end tag. Nothing else in the content is markup. When the page
 * arrives in parts, the search continues where it stopped. Source:
 * https://html.spec.whatwg.org/multipage/parsing.html#rcdata-state and the states after it
 */
export class RawTextSearch {
  readonly #tag: string
  readonly #name: Uint8Array
  #at: number
  #escape: Escape = 'none'
  /** The position after the `<!` of the open comment. The `--` after it may be part of `-->`. */
  #comment = 0

  /**
   * @param tag one of `RAW_TEXT_TAGS`
   * @param from the position after its start tag
   * @param isInNoscript whether `</noscript>` ends the content too: browsers that run scripts see only text there
   * @param name the name in the end tag, in lower case. In XML documents, it may have a prefix.
   */
  constructor(
    tag: string,
    from: number,
    readonly isInNoscript = false,
    name: Uint8Array = NAMES.get(tag)!,
  ) {
    this.#tag = tag
    this.#name = name
    this.#at = from
  }

  /** The position of the end tag; null when it has not arrived. `bytes` may grow between calls. */
  end(bytes: Uint8Array): number | null {
    if (this.#tag === 'plaintext') return null
    return this.#tag === 'script' ? this.#scriptEnd(bytes) : this.#plainEnd(bytes)
  }

  #plainEnd(bytes: Uint8Array): number | null {
    for (;;) {
      const at = bytes.indexOf(LESS, this.#at)
      this.#at = at < 0 ? bytes.length : at
      if (at < 0 || this.#mayBeCut(bytes, at)) return null
      if (bytes[at + 1] === SLASH && isTagName(bytes, at + 2, this.#name)) return at
      if (this.isInNoscript && bytes[at + 1] === SLASH && isTagName(bytes, at + 2, NOSCRIPT)) return at
      this.#at++
    }
  }

  #scriptEnd(bytes: Uint8Array): number | null {
    let at = this.#at
    for (; ; at++) {
      if (this.#escape === 'none') {
        at = bytes.indexOf(LESS, at)
        if (at < 0) at = bytes.length
      }
      if (at >= bytes.length) break
      if (bytes[at] === LESS) {
        if (this.#mayBeCut(bytes, at)) break
        if (bytes[at + 1] === SLASH && isTagName(bytes, at + 2, this.#name)) {
          if (this.#escape !== 'inner script') return at
          this.#escape = 'comment'
        } else if (this.#escape === 'comment' && isTagName(bytes, at + 1, this.#name)) {
          this.#escape = 'inner script'
        } else if (this.#escape === 'none' && opensComment(bytes, at + 1)) {
          this.#escape = 'comment'
          this.#comment = at + 2
          at += 3
        }
      } else if (bytes[at] === GREATER && this.#escape !== 'none' && at - 2 >= this.#comment) {
        if (bytes[at - 1] === HYPHEN && bytes[at - 2] === HYPHEN) this.#escape = 'none'
      }
    }
    this.#at = at
    return null
  }

  /** Whether the `<` at `at` may start a truncated tag or comment: `</script`, `<!-`. */
  #mayBeCut(bytes: Uint8Array, at: number): boolean {
    const name = this.isInNoscript ? NOSCRIPT : this.#name
    return at + '</'.length + name.length >= bytes.length
  }
}

function opensComment(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === BANG && bytes[at + 1] === HYPHEN && bytes[at + 2] === HYPHEN
}

/** Whether the complete tag name `name` is at `at`. */
function isTagName(bytes: Uint8Array, at: number, name: Uint8Array): boolean {
  const after = bytes[at + name.length]
  return after !== undefined && ENDS_TAG_NAME[after] === 1 && matchesIgnoringCase(bytes, at, name)
}
