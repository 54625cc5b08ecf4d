import { decodeHTMLStrict } from 'entities/decode'

import { isPlaceholder } from './placeholder.ts'
import { collapseWhitespace, truncate } from './text.ts'

/** Cleans a value for its field; undefined when it is not acceptable, so that the next value is tried. */
export type Normalize = (value: string) => string | undefined

/** In UTF-16 units, like the next two. Longer than any headline. */
export const MAX_TITLE_LENGTH = 1_000

/** A few paragraphs: some sites put a whole article into their description. */
export const MAX_DESCRIPTION_LENGTH = 5_000

/** For names, handles, types, locales and times. */
export const MAX_LINE_LENGTH = 500

/** White space and references that are encoded twice may make a text this many times as long. */
const MAX_ENCODING_FACTOR = 16

/** Excludes characters without any glyph, such as the zero-width space: text of these alone looks blank. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u

/** Decodes what was encoded twice, collapses white space and truncates; rejects blank text and unfilled templates. */
export function normalizeText(maxLength: number): Normalize {
  return (value) => {
    const text = collapseWhitespace(decodedAgain(truncate(value.trimStart(), MAX_ENCODING_FACTOR * maxLength)))
    return !VISIBLE.test(text) || isPlaceholder(text) ? undefined : truncate(text, maxLength)
  }
}

/** The same, and removes tags, because the value is displayed as plain text. */
export function normalizePlainText(maxLength: number): Normalize {
  const normalize = normalizeText(maxLength)
  return (value) => normalize(withoutTags(value))
}

/** Zero dates of databases and of Unix time. */
const ZERO_TIME = /^(?:-|0+$|0000|0001-01-01|1970-01-01 00:00:00)/

/** Rejects text without a digit and the zero dates that systems write when they have no time. */
export const normalizeTime: Normalize = (value) => {
  const time = normalizeText(MAX_LINE_LENGTH)(value)
  if (time === undefined || !/\d/.test(time) || ZERO_TIME.test(time)) return undefined
  return Date.parse(time) === 0 ? undefined : time
}

/** URLs and paths. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/|(?:mailto|tel|data|javascript|urn):|\.{0,2}\/|www\.)/i

/** A path is required, because a domain may be a site's name; a lower-case TLD, because `J.Doe/AP` is two names. */
const DOMAIN_AND_PATH = /^[\w.-]+\.[a-z]{2,}\/\S*$/

/** Rejects addresses where a name is expected: many pages put the URL of a profile there. */
export function rejectAddresses(normalize: Normalize): Normalize {
  return (value) => {
    const name = normalize(value)
    return name === undefined || ADDRESS.test(name) || DOMAIN_AND_PATH.test(name) ? undefined : name
  }
}

/** Character references that are rare in plain text. `Q&amp;A` may be intended; `Jo &amp; Ann` was encoded twice. */
const ENCODED_TWICE =
  /&(?:#\d{2,7}|#x[\da-f]{2,6}|quot|apos|nbsp|hellip|[lr][sd]quo|[mn]dash|[a-z]{1,2}(?:acute|grave|uml|circ|tilde|cedil|ring|slash|caron)|[sz]lig);|\s&amp;\s/i

const BLOCK_TAGS = 'p|br|div|h[1-6]|li|ul|ol'
const INLINE_TAGS = 'b|i|em|strong|u|s|span|a|sup|sub|small|font|mark|cite'

/** An end tag or a line break shows that tags are markup. "Use the <b> tag" only mentions one. */
const MARKUP = new RegExp(`</(?:${BLOCK_TAGS}|${INLINE_TAGS})>|<br ?/?>`, 'i')
const BLOCK = new RegExp(`</?(?:${BLOCK_TAGS})(?:\\s[^<>]*)?/?>`, 'gi')
const INLINE = new RegExp(`</?(?:${INLINE_TAGS})(?:\\s[^<>]*)?/?>`, 'gi')

function withoutTags(text: string): string {
  if (!text.includes('<') || !MARKUP.test(text)) return text
  return text.replace(BLOCK, ' ').replace(INLINE, '')
}

/** Decodes remaining character references, if the result is plain text. */
function decodedAgain(text: string): string {
  if (!text.includes('&') || !ENCODED_TWICE.test(text)) return text
  const decoded = decodeHTMLStrict(text)
  return decoded.includes('<') ? text : decoded
}
