/**
 * The placeholders at the start of a text, in template languages whose templates are sometimes served unrendered:
 * Mustache, ERB, PHP, Twig, MODX, Yoast SEO (`%%title%%`), build variables (`__META_TITLE__`) and Razor (`@ViewBag.Title`).
 */
const PLACEHOLDERS =
  /(?:\{\{.*?\}\}|<%=.*?%>|<\?(?:php\b|=).*?\?>|\{%-?\s*(?:block|endblock|extends|include|trans|load|if|endif)\b.*?%\}|\[\[[*+$~!%].*?\]\]|%%[a-z_]+%%|__[A-Z][A-Z_]+__|@View(?:Bag|Data)[.[][\w"'\].]+)\s*/gsy

/** The start of every placeholder. Checked first, because hardly any value is a placeholder. */
const START = /^\s*(?:\{[{%]|<%=|<\?(?:php\b|=)|\[\[|%%|__|@View|\$\{)/

/** A JavaScript template literal as the whole text. Within other text, `${name}` may be about a shell. */
const LITERAL = /^\$\{\s*[\w$.]+\s*\}$/

/** How JavaScript prints missing values and objects. */
const MISSING = String.raw`(?:undefined|null|NaN|\[object Object\])`
const NO_VALUE = new RegExp(`^\\s*${MISSING}\\s*$`)

/** Separators between a title and the site's name. */
const SEPARATOR = String.raw`[|\-–—·•:»]`
const NO_VALUE_BEFORE = new RegExp(`^${MISSING}\\s*${SEPARATOR}`)
const SEPARATOR_BEFORE = new RegExp(String.raw`^${SEPARATOR}\s+`)

/** What follows a placeholder in front of the site's name: `{{ title }} | Site`. */
const SEPARATOR_AFTER = new RegExp(`^(?:${SEPARATOR}|[/,])`)

/** The start of a placeholder, without the name in it. */
const OPENING = /^(?:\{[{%]|<%=|<\?(?:php\b|=)|\[\[.|%%|__|@)/

/** The start of a placeholder followed by other text. Excludes titles such as `{{#if}} - Handlebars`. */
const NAME_START = /^\s*[a-z_$]/i

/**
 * Whether a value is a missing value that a script printed, or an unfilled template: only placeholders, or a
 * placeholder followed by a separator and the site's name. Text that mentions one, such as `What {{ and }} mean in
 * Vue`, is not a template.
 */
export function isPlaceholder(value: string): boolean {
  if (NO_VALUE.test(value)) return true
  if (!START.test(value)) return false
  const text = value.trim()
  if (LITERAL.test(text)) return true
  const rest = text.replace(PLACEHOLDERS, '')
  if (rest === '') return true
  return rest !== text && SEPARATOR_AFTER.test(rest) && NAME_START.test(text.replace(OPENING, ''))
}

/** Dots are required, because "Loading" may be the name of a song. */
const WAITING = /^\s*(?:loading|please wait|redirecting)\s*(?:\.{2,}|…)\s*$/i

/** Whether a script will probably replace a title: a placeholder, or `Loading…`, which is kept if no script replaces it. */
export const isTemporary = (title: string): boolean => isPlaceholder(title) || WAITING.test(title)

/**
 * What to use of a title of which only the site's name was filled in, if there is no other: `Example` of `- Example`. The
 * whole of `undefined | Example`, because a page may be about `undefined`. Undefined for any other title.
 */
export function unfilledTitle(value: string): string | undefined {
  if (NO_VALUE_BEFORE.test(value)) return value
  return SEPARATOR_BEFORE.test(value) ? value.replace(SEPARATOR_BEFORE, '') : undefined
}
