/** Opening and closing delimiters of template languages whose templates are sometimes served unrendered. */
const DELIMITERS = [
  ['{{', '}}'],
  ['<%=', '%>'],
] as const

/** The start of every placeholder. Checked first, because hardly any value is a placeholder. */
const START = /^\s*(?:\{\{|<%=|\$\{)/

/** A JavaScript template literal as the whole text. Within other text, `${name}` may be about a shell. */
const LITERAL = /^\$\{\s*[\w$.]+\s*\}$/

/** Separators between a placeholder and the site's name: `{{ title }} | Site`. */
const SEPARATORS = '|-–—·•:»/,'

/** The start of a placeholder followed by other text. Excludes titles such as `{{#if}} - Handlebars`. */
const NAME_START = /^\s*[a-z_$]/i

/**
 * Whether a value is an unfilled template: only placeholders, or one followed by a separator and the site's name. Text
 * that mentions one, such as `What {{ and }} mean in Vue`, is not a template.
 */
export function isPlaceholder(value: string): boolean {
  if (!START.test(value)) return false
  const text = value.trim()
  if (LITERAL.test(text)) return true
  let rest = text
  for (let end = placeholderEnd(rest); end > 0; end = placeholderEnd(rest)) rest = rest.slice(end).trimStart()
  if (rest === '') return true
  return rest !== text && SEPARATORS.includes(rest[0]!) && NAME_START.test(text.replace(/^(?:\{\{|<%=)/, ''))
}

/** The end of the placeholder at the start of a text; 0 when there is none. */
function placeholderEnd(text: string): number {
  const delimiters = DELIMITERS.find(([open]) => text.startsWith(open))
  if (delimiters === undefined) return 0
  const [open, close] = delimiters
  const at = text.indexOf(close, open.length)
  return at < 0 ? 0 : at + close.length
}
