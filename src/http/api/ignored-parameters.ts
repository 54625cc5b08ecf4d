import { namesIn } from '../server/query.ts'

/** The most names to send and to log, and the most characters of each, because clients choose both. */
const MAX_NAMES = 5
const MAX_NAME_CHARACTERS = 64

/** Anything but printable ASCII; also the comma, which separates names, and keys, which must not be logged. */
const NOT_SHOWN = /[^\x21-\x2b\x2d-\x7e]|urlmeta_live_[0-9a-f]*/gi

/** The value of `X-Ignored-Parameters`: `cach, lang`, the names that are not known; null if there are none. */
export function ignoredNames(names: Iterable<string>, isKnown: (name: string) => boolean): string | null {
  const unknown = [...new Set(names)].filter((name) => name !== '' && !isKnown(name)).slice(0, MAX_NAMES)
  if (unknown.length === 0) return null
  return unknown.map((name) => name.slice(0, MAX_NAME_CHARACTERS).replace(NOT_SHOWN, '?')).join(', ')
}

/** Queries of `GET /v1/metadata` that have no other parameters, without decoding them, which would take longer. */
const ONLY_KNOWN = /^\??(?:(?:url|timeout|cache|language|fields|api_key)=[^&]*(?:&|$))*$/

/** The value of `X-Ignored-Parameters` for a query of `GET /v1/metadata`. */
export const ignoredIn = (search: string): string | null =>
  ONLY_KNOWN.test(search) ? null : ignoredNames(namesIn(search), (name) => ONLY_KNOWN.test(`${name}=`))
