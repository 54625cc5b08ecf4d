import { BANG, codesOf, ENDS_TAG_NAME, GREATER, HYPHEN, LESS, SLASH, spells } from './ascii.ts'

const SCRIPT = codesOf('script')

/** How much of `<!-- <script> … </script> -->` a script has opened: only inside the inner one is `</script>` text. */
type Escape = 'none' | 'comment' | 'inner script'

/**
 * Where the text of a raw text element ends: at its own end tag, or at the end of the page. Nothing else in it is markup.
 * Source: https://html.spec.whatwg.org/multipage/parsing.html#rcdata-state and the states after it
 * @param from first byte behind the start tag
 * @param tag name of the element in lower case
 */
export function rawTextEnd(bytes: Uint8Array, from: number, tag: string): number {
  if (tag === 'plaintext') return bytes.length
  if (tag === 'script') return scriptEnd(bytes, from)
  const name = codesOf(tag)
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
  /** Behind the `<!` of the comment that is open: its `--` may be the one of `-->`. */
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

/** Whether a tag name stands at `at`, with something behind it that ends it. */
function isTagName(bytes: Uint8Array, at: number, name: Uint8Array): boolean {
  const after = bytes[at + name.length]
  return after !== undefined && ENDS_TAG_NAME[after] === 1 && spells(bytes, at, name)
}
