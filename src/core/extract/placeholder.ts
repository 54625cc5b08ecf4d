/** Opening and closing marks of the template languages that are rendered in browsers and sometimes are not. */
const MARKS = [
  ['{{', '}}'],
  ['{%', '%}'],
  ['<%', '%>'],
  ['${', '}'],
  ['[[', ']]'],
] as const

/** What may stand between a placeholder and the site's name: `{{ title }} | Site`. */
const SEPARATORS = '|-–—·•:»/,'

/**
 * Whether a value is a template nobody filled in: it begins with a placeholder, and after that there is nothing or a
 * separator. Text that only speaks of one, as in `What {{ and }} mean in Vue`, is not.
 */
export function isPlaceholder(value: string): boolean {
  const text = value.trim()
  let rest = text
  for (let end = placeholderEnd(rest); end > 0; end = placeholderEnd(rest)) rest = rest.slice(end).trimStart()
  return rest !== text && (rest === '' || SEPARATORS.includes(rest[0]!))
}

/** Where the placeholder ends with which a text begins, 0 when it begins otherwise. */
function placeholderEnd(text: string): number {
  const marks = MARKS.find(([open]) => text.startsWith(open))
  if (marks === undefined) return 0
  const [open, close] = marks
  const at = text.indexOf(close, open.length)
  return at < 0 ? 0 : at + close.length
}
