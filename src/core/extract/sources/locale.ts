/**
 * Language, extended language, script and territory of a BCP 47 tag; underscores are accepted too, as POSIX writes them.
 * A separator at the end shows that a territory is missing.
 */
const TAG = /^([a-z]{2,3})(?:[-_][a-z]{3})?(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|\d{3}))?(?:[-_.@]\S|$)/i

/** Codes for no particular language: https://www.loc.gov/standards/iso639-2/ */
const NO_LANGUAGES: readonly string[] = ['und', 'mul', 'mis', 'zxx']

/**
 * Converts a language tag to Open Graph's language_TERRITORY (`zh-Hant-TW` → `zh_Hant_TW`); undefined for anything
 * else. Extended languages, variants and extensions are dropped.
 * Source: https://www.rfc-editor.org/rfc/rfc5646#section-2.1
 */
export function localeOf(tag: string): string | undefined {
  const [, language, script, territory] = TAG.exec(tag.trim()) ?? []
  if (language === undefined || NO_LANGUAGES.includes(language.toLowerCase())) return undefined
  const parts = [language.toLowerCase()]
  if (script !== undefined) parts.push(script[0]!.toUpperCase() + script.slice(1).toLowerCase())
  if (territory !== undefined) parts.push(territory.toUpperCase())
  return parts.join('_')
}

/** A locale in the form of Open Graph, in any case. */
const OPEN_GRAPH_LOCALE = /^[a-z]{2,3}(?:_[a-z]{4})?(?:_(?:[a-z]{2}|\d{3}))?$/i

/** A locale as written if it has the form of Open Graph, and converted to it otherwise; undefined for anything else. */
export function openGraphLocale(value: string): string | undefined {
  const written = value.trim()
  return OPEN_GRAPH_LOCALE.test(written) && localeOf(written) !== undefined ? written : localeOf(written)
}
