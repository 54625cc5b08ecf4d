/** Opening and closing marks of the templates that are rendered in browsers or on servers and sometimes are not. */
const MARKS = [
  ['{{', '}}'],
  ['<%=', '%>'],
] as const

/** A template literal of JavaScript is one when there is nothing else: shells and their manuals write `${name}` too. */
const LITERAL = /^\$\{\s*[\w$.]+\s*\}$/

/** What may stand between a placeholder and the site's name: `{{ title }} | Site`. */
const SEPARATORS = '|-–—·•:»/,'

/** What a placeholder with text behind it may begin with: `{{#if}} - Handlebars` is the title of a manual. */
const NAME_START = /^\s*[a-z_$]/i

/**
 * Whether a value is a template nobody filled in: it is all placeholders, or one and after a separator the site's name.
 * Text that only speaks of one, as in `What {{ and }} mean in Vue`, is not, nor are other languages' brackets.
 */
export function isPlaceholder(value: string): boolean {
  const text = value.trim()
  if (LITERAL.test(text)) return true
  let rest = text
  for (let end = placeholderEnd(rest); end > 0; end = placeholderEnd(rest)) rest = rest.slice(end).trimStart()
  if (rest === '') return text !== ''
  return rest !== text && SEPARATORS.includes(rest[0]!) && NAME_START.test(text.replace(/^(?:\{\{|<%=)/, ''))
}

/** Where the placeholder ends with which a text begins, 0 when it begins otherwise. */
function placeholderEnd(text: string): number {
  const marks = MARKS.find(([open]) => text.startsWith(open))
  if (marks === undefined) return 0
  const [open, close] = marks
  const at = text.indexOf(close, open.length)
  return at < 0 ? 0 : at + close.length
}
