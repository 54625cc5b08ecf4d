/** The placeholders at the start of a text, in template languages whose templates are sometimes served unrendered. */
const PLACEHOLDERS = /(?:\{\{.*?\}\}|<%=.*?%>)\s*/gsy

/** The start of every placeholder. Checked first, because hardly any value is a placeholder. */
const START = /^\s*(?:\{\{|<%=|\$\{)/

/** A JavaScript template literal as the whole text. Within other text, `${name}` may be about a shell. */
const LITERAL = /^\$\{\s*[\w$.]+\s*\}$/

/** How JavaScript prints missing values and objects. */
const NO_VALUE = /^\s*(?:undefined|null|NaN|\[object Object\])\s*$/

/** Separators between a placeholder and the site's name: `{{ title }} | Site`. */
const SEPARATORS = '|-–—·•:»/,'

/** The start of a placeholder followed by other text. Excludes titles such as `{{#if}} - Handlebars`. */
const NAME_START = /^\s*[a-z_$]/i

/**
 * Whether a value is a missing value that a script printed, or an unfilled template: only placeholders, or one followed by a
 * separator and the site's name. Text that mentions one, such as `What {{ and }} mean in Vue`, is not a template.
 */
export function isPlaceholder(value: string): boolean {
  if (NO_VALUE.test(value)) return true
  if (!START.test(value)) return false
  const text = value.trim()
  if (LITERAL.test(text)) return true
  const rest = text.replace(PLACEHOLDERS, '')
  if (rest === '') return true
  return rest !== text && SEPARATORS.includes(rest[0]!) && NAME_START.test(text.replace(/^(?:\{\{|<%=)/, ''))
}

/** Without dots, it may be the name of a song. */
const WAITING = /^\s*(?:loading|please wait|redirecting)\s*(?:\.{2,}|…)\s*$/i

/** Whether a script will probably replace a title: a placeholder, or `Loading…`, which is a title if nothing replaces it. */
export const isTemporary = (title: string): boolean => isPlaceholder(title) || WAITING.test(title)
