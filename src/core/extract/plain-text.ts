import { decodeHTMLStrict } from 'entities/decode'

/** References that plain text hardly ever has; `Q&amp;A` may be meant, `Jo &amp; Ann` is encoded twice. */
const ENCODED_TWICE =
  /&(?:#\d{2,7}|#x[\da-f]{2,6}|quot|apos|nbsp|hellip|[lr][sd]quo|[mn]dash|[a-z]{1,2}(?:acute|grave|uml|circ|tilde|cedil|ring|slash|caron)|[sz]lig);|\s&amp;\s/i

const BLOCK_TAGS = 'p|br|div|h[1-6]|li|ul|ol'
const INLINE_TAGS = 'b|i|em|strong|u|s|span|a|sup|sub|small|font|mark|cite'

/** What shows that tags are markup: an end tag, or a line break. "Use the <b> tag" is about one. */
const MARKUP = new RegExp(`</(?:${BLOCK_TAGS}|${INLINE_TAGS})>|<br ?/?>`, 'i')
const BLOCK = new RegExp(`</?(?:${BLOCK_TAGS})(?:\\s[^<>]*)?/?>`, 'gi')
const INLINE = new RegExp(`</?(?:${INLINE_TAGS})(?:\\s[^<>]*)?/?>`, 'gi')

/** The text that a value shows when it was encoded once too often, or has tags where none belong. */
export function plainText(value: string): string {
  const text = decodedAgain(value)
  if (!text.includes('<') || !MARKUP.test(text)) return text
  return text.replace(BLOCK, ' ').replace(INLINE, '')
}

/** Decodes references again if there are some left and the result is plain text. */
function decodedAgain(text: string): string {
  if (!text.includes('&') || !ENCODED_TWICE.test(text)) return text
  const decoded = decodeHTMLStrict(text)
  return decoded.includes('<') ? text : decoded
}
