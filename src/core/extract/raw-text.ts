import { BANG, asciiBytes, ENDS_TAG_NAME, GREATER, HYPHEN, LESS, SLASH, matchesIgnoringCase } from './ascii.ts'

const SCRIPT = asciiBytes('script')

/** Progress within `<!-- <script> … </script> -->`: only in the inner script `</script>` is text. */
type Escape = 'none' | 'comment' | 'inner script'

/**
 * Where the text of a raw text element ends: at its end tag, or at the end of the page. Nothing else in it is markup.
 * Source: https://html.spec.whatwg.org/multipage/parsing.html#rcdata-state and the states after it
 * @param from first byte after the start tag
 * @param tag name of the element in lower case
 */
export function rawTextEnd(bytes: Uint8Array, from: number, tag: string): number {
  if (tag === 'plaintext') return bytes.length
  if (tag === 'script') return scriptEnd(bytes, from)
  const name = asciiBytes(tag)
  let at = from
  for (;;) {
    at = bytes.indexOf(LESS, at)
    if (at < 0) return bytes.length
    if (bytes[at + 1] === SLASH && isTagName(bytes, at + 2, name)) return at
    at++
  }
}

function scriptEnd(bytes: Uint8Array, from: number): number {
  let escape: Escape = 'none'
  /** Position after the `<!` of the open comment: in `<!-->` the same hyphens open and close it. */
  let comment = 0
  let at = from
  for (;;) {
    if (escape === 'none') at = bytes.indexOf(LESS, at)
    if (at < 0 || at >= bytes.length) return bytes.length
    if (bytes[at] === LESS) {
      if (bytes[at + 1] === SLASH && isTagName(bytes, at + 2, SCRIPT)) {
        if (escape !== 'inner script') return at
        escape = 'comment'
      } else if (escape === 'comment' && isTagName(bytes, at + 1, SCRIPT)) {
        escape = 'inner script'
      } else if (escape === 'none' && bytes[at + 1] === BANG && bytes[at + 2] === HYPHEN && bytes[at + 3] === HYPHEN) {
        escape = 'comment'
        comment = at + 2
        at += 3
      }
    } else if (bytes[at] === GREATER && escape !== 'none' && at - 2 >= comment) {
      if (bytes[at - 1] === HYPHEN && bytes[at - 2] === HYPHEN) escape = 'none'
    }
    at++
  }
}

/** Whether there is a complete tag name at `at`. */
function isTagName(bytes: Uint8Array, at: number, name: Uint8Array): boolean {
  const after = bytes[at + name.length]
  return after !== undefined && ENDS_TAG_NAME[after] === 1 && matchesIgnoringCase(bytes, at, name)
}
