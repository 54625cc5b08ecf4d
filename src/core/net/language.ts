import { weightedItems } from './header-fields.ts'
import type { Target } from './url.ts'

/** Sent to sites unless URLMETA_ACCEPT_LANGUAGE is set. */
export const DEFAULT_ACCEPT_LANGUAGE = 'en-US,en;q=0.9,*;q=0.5'

/** Enough for more languages than anybody reads. Limited, because the value is a part of cache keys. */
export const MAX_LANGUAGE_CHARACTERS = 100

// RFC 9110 section 12.5.4, with the language ranges of RFC 4647 section 2.1.
const RANGE = /[a-z]{1,8}(?:-[a-z\d]{1,8})*|\*/.source
const WEIGHT = /[ \t]*;[ \t]*q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)/.source
const LANGUAGE = `(?:${RANGE})(?:${WEIGHT})?`
const ACCEPT_LANGUAGE = new RegExp(`^${LANGUAGE}(?:[ \\t]*,[ \\t]*${LANGUAGE})*$`, 'i')

/** The values that `parseAcceptLanguage` accepts, for error messages. */
export const ACCEPT_LANGUAGE_RULE = `an Accept-Language value of at most ${MAX_LANGUAGE_CHARACTERS} characters`

/** The value of an Accept-Language header (RFC 9110); null if it is invalid or too long. */
export function parseAcceptLanguage(text: string): string | null {
  return text.length <= MAX_LANGUAGE_CHARACTERS && ACCEPT_LANGUAGE.test(text) ? text : null
}

/**
 * Sets the language that the caller asks for, and adds it to the cache key after a space, which no URL contains. Null
 * changes nothing.
 */
export function inLanguage(target: Target, language: string | null): Target {
  if (language === null) return target
  const variant = `language=${language.toLowerCase().replace(/[ \t]/g, '')}`
  return { ...target, language, cacheKey: `${target.cacheKey} ${variant}` }
}

/** The language that `inLanguage` added to a variant (see `splitCacheKey`); null if there is none. */
export function languageOfVariant(variant: string): string | null {
  return / language=(\S+)/.exec(variant)?.[1] ?? null
}

/** The languages of an Accept-Language value, most preferred first, without `*` and languages of weight 0. */
export function languagesOf(acceptLanguage: string): string[] {
  const named = weightedItems(acceptLanguage).filter(([range, weight]) => range !== '*' && weight > 0)
  return named.toSorted(([, a], [, b]) => b - a).map(([range]) => range)
}
