import { decodeHTMLStrict } from 'entities/decode'

import { isPlaceholder } from './placeholder.ts'
import { collapseWhitespace, truncate } from './text.ts'

/** Cleans a value for its field; undefined when it is not acceptable, so that the next value is tried. */
export type Normalize = (value: string) => string | undefined

/** In UTF-16 units, as the next two limits. No headline is longer. */
export const MAX_TITLE_LENGTH = 1_000

/** A few paragraphs. Some sites put a whole article into the description. */
export const MAX_DESCRIPTION_LENGTH = 5_000

/** For names, handles, types, locales and times. */
export const MAX_LINE_LENGTH = 500

/** White space and references that are encoded twice may make a text this many times as long. */
const MAX_ENCODING_FACTOR = 16

/** Excludes characters without any glyph, such as the zero-width space: text that has only these looks blank. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u

/**
 * Decodes character references that were encoded twice, collapses white space and truncates; rejects blank text and
 * unfilled templates.
 */
export function normalizeText(maxLength: number): Normalize {
  return (value) => {
    const decoded = decodedAgain(truncate(value.trimStart(), MAX_ENCODING_FACTOR * maxLength))
    const text = collapseWhitespace(withoutHidden(unescaped(decoded))).replace(CUT_CHARACTER, '')
    return !VISIBLE.test(text) || isPlaceholder(text) ? undefined : shortened(text, maxLength)
  }
}

/** Truncates to `max` UTF-16 units. */
export const shortened = (text: string, max: number): string =>
  text.length <= max ? text : withoutHidden(truncate(text, max)).trimEnd()

/** Bidirectional controls, and the half that tags have in common in UTF-16. Few texts have any. */
const MAY_HIDE = /[\u202a-\u202e\u2066-\u2069\udb40]/

/**
 * Tags (U+E0000 to U+E007F) outside the flag of a region (https://www.unicode.org/reports/tr51/#flag-emoji-tag-sequences).
 * They draw nothing, but programs read them.
 */
const TAGS = /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,7}\u{e007f})|[\u{e0000}-\u{e007f}]/gu

/** By Unicode Standard Annex 9, section 3.1.2: the ends of embeddings and overrides, and of isolates. */
const [POP_EMBEDDING, POP_ISOLATE] = ['\u202c', '\u2069']
const BIDI = /([\u202a-\u202e\u2066-\u2069])/

/**
 * Removes what changes or hides text without drawing anything: tags, and bidirectional controls without their counterpart
 * (UAX 9, BD9 and BD11), which would also change the text after a value.
 */
export function withoutHidden(text: string): string {
  if (!MAY_HIDE.test(text)) return text
  // Texts have even indexes, and controls odd ones.
  const parts = text.replace(TAGS, '$1').split(BIDI)
  const shown = parts.map((part, i) => (i % 2 === 0 ? part : ''))
  /** The indexes of what has begun, in each open isolate. The first one is the isolate itself. */
  const open: (number | undefined)[][] = [[undefined]]
  for (let i = 1; i < parts.length; i += 2) {
    const part = parts[i]!
    const inner = open.at(-1)!
    const isEnd = part === POP_EMBEDDING || part === POP_ISOLATE
    const begin = part === POP_ISOLATE ? inner[0] : inner.length > 1 ? inner.at(-1) : undefined
    if (!isEnd && part < '\u2066') inner.push(i)
    else if (!isEnd) open.push([i])
    else if (begin !== undefined) {
      if (part === POP_ISOLATE) open.pop()
      else inner.pop()
      shown[begin] = parts[begin]!
      shown[i] = part
    }
  }
  return shown.join('')
}

/** Like `normalizeText`, but removes tags and shortcodes first, because the value is displayed as plain text. */
export function normalizePlainText(maxLength: number): Normalize {
  const normalize = normalizeText(maxLength)
  return (value) => normalize(withoutShortcodes(withoutTags(value)))
}

/** What is left of a character of several bytes that was cut at the end of a text. */
const CUT_CHARACTER = / ?\ufffd+$/

/** Quotes and no-break spaces as in the source of a program: `Dog\\'s`. Other escapes may be what the text is about. */
const ESCAPED = /\\(?:(['"])|u00a0)/g

const unescaped = (text: string) =>
  text.includes('\\') ? text.replace(ESCAPED, (_, quote?: string) => quote ?? ' ') : text

/** URLs and paths. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/|(?:mailto|tel|data|javascript|urn):|\.{0,2}\/|www\.)/i

/**
 * A path is required, because a domain may be a site's name. The TLD must be lower case, because `J.Doe/AP` is two names.
 */
const DOMAIN_AND_PATH = /^[\w.-]+\.[a-z]{2,}\/\S*$/

/** Rejects addresses where a name is expected: many pages have the URL of a profile instead. */
export function rejectAddresses(normalize: Normalize): Normalize {
  return (value) => {
    const name = normalize(value)
    return name === undefined || ADDRESS.test(name) || DOMAIN_AND_PATH.test(name) ? undefined : name
  }
}

/** Character references that are rare in plain text. */
const ENCODED_TWICE =
  /&(?:#\d{2,7}|#x[\da-f]{2,6}|amp|quot|apos|nbsp|hellip|[lr][sd]quo|[mn]dash|[a-z]{1,2}(?:acute|grave|uml|circ|tilde|cedil|ring|slash|caron)|[sz]lig);/i

const BLOCK_TAGS = 'p|br|div|h[1-6]|li|ul|ol'
const INLINE_TAGS = 'b|i|em|strong|u|s|span|a|sup|sub|small|font|mark|cite'

/**
 * An end tag or a line break shows that tags are markup, and so does a paragraph that starts the text, whose end may have been
 * cut. "Use the <b> tag" only mentions a tag.
 */
const MARKUP = new RegExp(`</(?:${BLOCK_TAGS}|${INLINE_TAGS})>|<br ?/?>|^\\s*<(?:${BLOCK_TAGS})(?:\\s[^<>]*)?>`, 'i')
const BLOCK = new RegExp(`</?(?:${BLOCK_TAGS})(?:\\s[^<>]*)?/?>`, 'gi')
const INLINE = new RegExp(`</?(?:${INLINE_TAGS})(?:\\s[^<>]*)?/?>`, 'gi')

/** Comments of React, between texts, and of WordPress, around blocks. Others are what the text is about. */
const COMMENT = /<!--(?:\s*| \/?wp:.*?)-->/gs

export function withoutTags(text: string): string {
  if (!text.includes('<')) return text
  const shown = text.replace(COMMENT, '')
  return MARKUP.test(shown) ? shown.replace(BLOCK, ' ').replace(INLINE, '') : shown
}

/** WordPress shortcodes: `[vc_row full="1"]`, `[/caption]`. A text in brackets has neither an underscore nor attributes. */
const SHORTCODE = /\[\/?[a-z]+_\w+(?:\s[^[\]]*)?\]|\[\/[a-z]\w*\]|\[[a-z]\w*\s+\w+=["'][^[\]]*\]/gi

const withoutShortcodes = (text: string) => (text.includes('[') ? text.replace(SHORTCODE, ' ') : text)

/** Decodes remaining character references, if the result is plain text. */
function decodedAgain(text: string): string {
  if (!text.includes('&') || !ENCODED_TWICE.test(text)) return text
  const decoded = decodeHTMLStrict(text)
  return decoded.includes('<') ? text : decoded
}
