import { asciiBytes, SLASH } from './ascii.ts'
import { NameLookup } from './name-lookup.ts'
import { hasToken } from './range.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Path segments that lead to authors' pages: `/author/jo`. */
const AUTHOR_SEGMENTS = new NameLookup(
  (
    'author authors staff writer writers contributor contributors journalist journalists reporter columnists profiles ' +
    'autor autoren auteur'
  ).split(' '),
)

/** The maximum number of bytes of a URL to search for one of these segments. */
const MAX_PATH_BYTES = 300

const AUTHOR = asciiBytes('author')

/** Whether the last start tag has `rel="author"`. */
export function isAuthorRelation(tokenizer: Tokenizer): boolean {
  const rel = tokenizer.attribute('rel')
  return rel !== null && hasToken(tokenizer.bytes, rel, AUTHOR)
}

/** Whether the last start tag links to an author's page, such as `/author/jo`. */
export function isAuthorPage(tokenizer: Tokenizer): boolean {
  const { bytes } = tokenizer
  const href = tokenizer.attribute('href')
  if (href === null) return false
  const end = Math.min(href.end, href.start + MAX_PATH_BYTES)
  let word = href.start
  for (let at = href.start; at < end; at++) {
    if (bytes[at] !== SLASH) continue
    if (at > word && at + 2 < end && AUTHOR_SEGMENTS.indexOf(bytes, word, at) >= 0) return true
    word = at + 1
  }
  return false
}
