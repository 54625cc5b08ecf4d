import { decodeHTMLStrict } from 'entities/decode'

/** Character references that are rare in plain text. `Q&amp;A` may be intended; `Jo &amp; Ann` was encoded twice. */
const ENCODED_TWICE =
  /&(?:#\d{2,7}|#x[\da-f]{2,6}|quot|apos|nbsp|hellip|[lr][sd]quo|[mn]dash|[a-z]{1,2}(?:acute|grave|uml|circ|tilde|cedil|ring|slash|caron)|[sz]lig);|\s&amp;\s/i

const BLOCK_TAGS = 'p|br|div|h[1-6]|li|ul|ol'
const INLINE_TAGS = 'b|i|em|strong|u|s|span|a|sup|sub|small|font|mark|cite'

/** An end tag or a line break shows that tags are markup. "Use the <b> tag" only mentions one. */
const MARKUP = new RegExp(`</(?:${BLOCK_TAGS}|${INLINE_TAGS})>|<br ?/?>`, 'i')
const BLOCK = new RegExp(`</?(?:${BLOCK_TAGS})(?:\\s[^<>]*)?/?>`, 'gi')
const INLINE = new RegExp(`</?(?:${INLINE_TAGS})(?:\\s[^<>]*)?/?>`, 'gi')

/** Removes tags and decodes character references that were encoded twice. */
export function plainText(value: string): string {
  const text = decodedAgain(value)
  if (!text.includes('<') || !MARKUP.test(text)) return text
  return text.replace(BLOCK, ' ').replace(INLINE, '')
}

/** Decodes remaining character references, if the result is plain text. */
function decodedAgain(text: string): string {
  if (!text.includes('&') || !ENCODED_TWICE.test(text)) return text
  const decoded = decodeHTMLStrict(text)
  return decoded.includes('<') ? text : decoded
}
