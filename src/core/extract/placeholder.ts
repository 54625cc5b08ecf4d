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
  const marks = MARKS.find(([open]) => text.startsWith(open))
  if (marks === undefined) return false
  const close = text.indexOf(marks[1], marks[0].length)
  if (close < 0) return false
  const rest = text.slice(close + marks[1].length).trimStart()
  return rest === '' || SEPARATORS.includes(rest[0]!) || isPlaceholder(rest)
}
