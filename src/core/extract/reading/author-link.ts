import { wordSet } from '../../word-set.ts'
import { SLASH } from './ascii.ts'
import lists from './link-segments.json'
import { NameLookup } from './name-lookup.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Path segments that lead to authors' pages: `/author/jo`. */
const AUTHOR_SEGMENTS = new NameLookup(wordSet(lists.author))

/** Path segments that lead to other articles about the same subject: `/tag/bread`. */
const TOPIC_SEGMENTS = new NameLookup(wordSet(lists.topic))

/** The maximum number of bytes of a URL to search for one of these segments. */
const MAX_PATH_BYTES = 300

const AUTHOR = new NameLookup(['author'])
const TAG = new NameLookup(['tag'])

/** Whether the last start tag has `rel="author"`. */
export function isAuthorRelation(tokenizer: Tokenizer): boolean {
  return hasRelation(tokenizer, AUTHOR)
}

/** Whether the last start tag links to an author's page, such as `/author/jo`. */
export function isAuthorPage(tokenizer: Tokenizer): boolean {
  return leadsTo(tokenizer, AUTHOR_SEGMENTS)
}

/** Whether the last start tag links to a topic, such as `/tag/bread`. */
export function isTopicLink(tokenizer: Tokenizer): boolean {
  return hasRelation(tokenizer, TAG) || leadsTo(tokenizer, TOPIC_SEGMENTS)
}

function hasRelation(tokenizer: Tokenizer, relation: NameLookup<string>): boolean {
  const rel = tokenizer.attribute('rel')
  return rel !== null && relation.hasToken(tokenizer.bytes, rel)
}

/** Whether the path of the link has one of the segments and another one after it. */
function leadsTo(tokenizer: Tokenizer, segments: NameLookup<string>): boolean {
  const { bytes } = tokenizer
  const href = tokenizer.attribute('href')
  if (href === null) return false
  const end = Math.min(href.end, href.start + MAX_PATH_BYTES)
  let word = href.start
  for (let at = href.start; at < end; at++) {
    if (bytes[at] !== SLASH) continue
    if (at > word && at + 2 < end && segments.indexOf(bytes, word, at) >= 0) return true
    word = at + 1
  }
  return false
}
