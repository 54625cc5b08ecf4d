import { plainText } from './plain-text.ts'
import { isPlaceholder } from './placeholder.ts'
import { collapseWhitespace, truncate } from './text.ts'

/** Cleans a value for its field; undefined when it is not acceptable, so that the next one is tried. */
export type Normalize = (value: string) => string | undefined

/** In UTF-16 units, like the two below. Longer than any headline. */
export const MAX_TITLE_LENGTH = 1_000

/** A few paragraphs: some sites put a whole article into their description. */
export const MAX_DESCRIPTION_LENGTH = 5_000

/** For names, handles, types, locales and times. */
export const MAX_LINE_LENGTH = 500

/** Collapses white space and truncates; rejects blank text and unfilled templates. */
export function normalizeText(maxLength: number): Normalize {
  return (value) => {
    const text = collapseWhitespace(value)
    return text === '' || isPlaceholder(text) ? undefined : truncate(text, maxLength)
  }
}

/** The same for text that is shown as it is, without references that were encoded twice and without tags. */
export function normalizePlainText(maxLength: number): Normalize {
  const normalize = normalizeText(maxLength)
  return (value) => normalize(plainText(value))
}

/** The zero of databases and of Unix time. */
const NO_TIME = /^(?:-|0000|0001-01-01|1970-01-01T00:00:00|1970-01-01 00:00:00)/

/** Rejects what cannot be a time: text without a digit, and what systems write when they have none. */
export const normalizeTime: Normalize = (value) => {
  const time = normalizeText(MAX_LINE_LENGTH)(value)
  return time === undefined || !/\d/.test(time) || NO_TIME.test(time) ? undefined : time
}

/** URLs and paths. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/|(?:mailto|tel|data|javascript|urn):|\.{0,2}\/|www\.)/i

/**
 * A domain alone may be a site's name, and `AFP/dpa` and `J.Doe/AP` are two names: hence the path and the lower case.
 */
const DOMAIN_AND_PATH = /^[\w.-]+\.[a-z]{2,}\/\S*$/

/** Rejects addresses where a name is expected: many pages put the URL of a profile there. */
export function rejectAddresses(normalize: Normalize): Normalize {
  return (value) => {
    const name = normalize(value)
    return name === undefined || ADDRESS.test(name) || DOMAIN_AND_PATH.test(name) ? undefined : name
  }
}
