import type { Target } from './url.ts'

/** Asked of sites unless URLMETA_ACCEPT_LANGUAGE says otherwise. */
export const DEFAULT_ACCEPT_LANGUAGE = 'en-US,en;q=0.9,*;q=0.5'

/** More languages than anybody reads. The value is a part of cache keys. */
export const MAX_LANGUAGE_CHARACTERS = 100

// RFC 9110 section 12.5.4, with the language ranges of RFC 4647 section 2.1.
const RANGE = /[a-z]{1,8}(?:-[a-z\d]{1,8})*|\*/.source
const WEIGHT = /[ \t]*;[ \t]*q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)/.source
const LANGUAGE = `(?:${RANGE})(?:${WEIGHT})?`
const ACCEPT_LANGUAGE = new RegExp(`^${LANGUAGE}(?:[ \\t]*,[ \\t]*${LANGUAGE})*$`, 'i')

/** What `parseAcceptLanguage` accepts, for error messages. */
export const ACCEPT_LANGUAGE_RULE = `an Accept-Language value of at most ${MAX_LANGUAGE_CHARACTERS} characters`

/** The value of an Accept-Language header (RFC 9110); null if it is invalid or too long. */
export function parseAcceptLanguage(text: string): string | null {
  return text.length <= MAX_LANGUAGE_CHARACTERS && ACCEPT_LANGUAGE.test(text) ? text : null
}

/** The target in the language that the caller asks for, with a cache key of its own. No URL contains the space. */
export function inLanguage(target: Target, language: string | null): Target {
  if (language === null) return target
  const variant = `language=${language.toLowerCase().replace(/[ \t]/g, '')}`
  return { ...target, language, cacheKey: `${target.cacheKey} ${variant}` }
}

/** The language in a variant that `inLanguage` made, see `splitCacheKey`; null if there is none. */
export function languageOfVariant(variant: string): string | null {
  return / language=(\S+)/.exec(variant)?.[1] ?? null
}

/** The languages of an Accept-Language value, preferred ones first, without `*` and those that are refused. */
export function languagesOf(acceptLanguage: string): string[] {
  const ranges = acceptLanguage.split(',').map((item) => {
    const [range = '', weight = 'q=1'] = item.split(';').map((part) => part.trim())
    return { range, weight: Number(weight.slice('q='.length)) }
  })
  const named = ranges.filter(({ range, weight }) => range !== '*' && weight > 0)
  return named.toSorted((a, b) => b.weight - a.weight).map(({ range }) => range)
}
