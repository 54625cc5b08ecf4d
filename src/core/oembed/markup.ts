import { decodeHTML } from 'entities/decode'

/** The maximum number of characters of a value to parse, far above the limits on returned values. */
const MAX_CHARACTERS = 32_768

const CONTROL_CHARACTERS = /\p{Cc}+/gu

/** Recognizes markup by an end tag, a line break or a tag with attributes. "Use the <b> tag" is text. */
const MARKUP = /<\/[a-z][^<>]*>|<br ?\/?>|<[a-z]+ [^<>=]+=/i

const BLOCK_OR_BREAK = /<\/?(?:p|br|div|li|ul|ol|h[1-6])\b[^<>]*>/gi
const TAG = /<\/?[a-z][^<>]*>/gi

/** A value as text: without control characters, and without tags if it is markup. */
export function textOf(value: string): string {
  const text = value.slice(0, MAX_CHARACTERS).replace(CONTROL_CHARACTERS, ' ')
  return MARKUP.test(text) ? withoutTags(text) : text
}

/** The text of the first paragraph of a quoted post (`<blockquote>`), or ''. */
export function paragraphOf(html: string): string {
  const markup = html.slice(0, MAX_CHARACTERS).replace(CONTROL_CHARACTERS, ' ')
  const start = markup.search(/<p[ >]/i)
  if (start < 0 || !/^\s*<blockquote[ >]/i.test(markup)) return ''
  const length = markup.slice(start).search(/<\/p>/i)
  return length < 0 ? '' : decodeHTML(withoutTags(markup.slice(start, start + length)))
}

function withoutTags(markup: string): string {
  return withoutScripts(markup).replace(BLOCK_OR_BREAK, ' ').replace(TAG, '')
}

/** Removes scripts and style sheets. An element without an end tag is removed up to the end of the text. */
function withoutScripts(markup: string): string {
  const [first = '', ...rest] = markup.split(/<(?=(?:script|style)\b)/i)
  const behind = rest.map((part) => {
    const end = part.search(/<\/(?:script|style)/i)
    return end < 0 ? '' : part.slice(end)
  })
  return [first, ...behind].join('')
}
