/** Language, script and territory of a BCP 47 tag; underscores are accepted too, as POSIX writes them. */
const TAG = /^([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|\d{3}))?(?:[-_.@]|$)/i

/**
 * Converts a language tag to Open Graph's language_TERRITORY (`zh-Hant-TW` → `zh_Hant_TW`); undefined for anything
 * else. Variants and extensions are dropped.
 * Source: https://www.rfc-editor.org/rfc/rfc5646#section-2.1
 */
export function localeOf(tag: string): string | undefined {
  const [, language, script, territory] = TAG.exec(tag.trim()) ?? []
  if (language === undefined) return undefined
  const parts = [language.toLowerCase()]
  if (script !== undefined) parts.push(script[0]!.toUpperCase() + script.slice(1).toLowerCase())
  if (territory !== undefined) parts.push(territory.toUpperCase())
  return parts.join('_')
}
