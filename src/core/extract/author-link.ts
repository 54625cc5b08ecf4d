import { asciiBytes, matchesIgnoringCase, SLASH } from './ascii.ts'
import { NameLookup } from './name-lookup.ts'
import { type Range, splitTokens } from './range.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Folders of the pages of authors. */
const AUTHOR_FOLDERS = new NameLookup(
  (
    'author authors staff writer writers contributor contributors journalist journalists reporter columnists profiles ' +
    'autor autoren auteur'
  ).split(' '),
)

/** Most bytes of an address to search for a folder. */
const MAX_PATH_BYTES = 300

const AUTHOR = asciiBytes('author')

/** Whether the last start tag has `rel="author"`. */
export function isAuthorRelation(tokenizer: Tokenizer): boolean {
  const rel = tokenizer.attribute('rel')
  return rel !== null && hasToken(tokenizer.bytes, rel, AUTHOR)
}

/** Whether the last start tag links to an address with a folder for authors and something below it. */
export function isAuthorPage(tokenizer: Tokenizer): boolean {
  const { bytes } = tokenizer
  const href = tokenizer.attribute('href')
  if (href === null) return false
  const end = Math.min(href.end, href.start + MAX_PATH_BYTES)
  let word = href.start
  for (let at = href.start; at < end; at++) {
    if (bytes[at] !== SLASH) continue
    if (at > word && at + 2 < end && AUTHOR_FOLDERS.indexOf(bytes, word, at) >= 0) return true
    word = at + 1
  }
  return false
}

/** Whether one of the space-separated tokens is this one; `token` is in lower case. */
export function hasToken(bytes: Uint8Array, range: Range, token: Uint8Array): boolean {
  return splitTokens(bytes, range).some(
    ({ start, end }) => end - start === token.length && matchesIgnoringCase(bytes, start, token),
  )
}
