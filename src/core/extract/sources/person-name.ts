import { trimCharacters } from '../../trim-characters.ts'
import {
  MAX_LINE_LENGTH,
  type Normalize,
  normalizeText,
  rejectAddresses,
  shortened,
  withoutHidden,
} from '../reading/normalize.ts'
import { endsInPreposition, hasOtherWord, isLabel, splitPrefix } from './byline-words.ts'
import placeholders from './placeholder-names.json'
import { isWeekday } from './weekdays.ts'

/**
 * `Von` and `Di` can be part of a name, as in `Di Stefano`. Such prefixes are removed only before two capitalized
 * words, which may have particles of a name between them: `Von Max von der Leyen`.
 */
const TWO_CAPITALIZED_WORDS =
  /^\p{Lu}[^\s,]*\s+(?:(?:af|av|da|de|degli|del|della|den|der|di|do|dos|du|la|le|ten|ter|van|von|zu|zum|zur)\s+){0,3}\S*\p{Lu}/u

/** Text that content management systems write when they have no name, with the system that has it as a default. */
const PLACEHOLDER_NAMES: ReadonlySet<string> = new Set(
  Object.values(placeholders).flatMap(({ names }) => names.split(',')),
)

/** A web or mail address in brackets after a name. */
const ADDRESS_AFTER_NAME =
  /\s*(?:[(<](?=[^\s()<>]*(?::\/\/|www\.|@))[^\s()<>]*|\[(?=[^\s()<>[]*(?::\/\/|www\.|@))[^\s()<>[]*)[)>\]]$/

/** A job after a name, in languages that put the job there, with the mail address that follows it in Korea. */
const JOB_AFTER_NAME = /\s*(?:기자|특파원|記者|记者)(?:\s+[^\s@]+@[^\s@]+)?$/

/** Characters of such additions, and of separators before a job or site. Checked first, because most names have none. */
const ADDITION = /[(<[기특記记/|／｜]/

/** Missing values of a template: "undefined undefined". */
const MISSING = /^(?:undefined|null)(?: (?:undefined|null))*$/

/** A time of day is no part of a name. */
const TIME_OF_DAY = /\d{1,2}:\d\d/

/** A list of credits: "content: Jo Doe, design: Example". */
const CREDITS = /(?:^|,\s*)\p{Ll}+:\s[^,]+,\s*\p{Ll}+:\s/u

/** An address written so that machines don't find it: `jo[at]site.test`. */
const HIDDEN_EMAIL = /[[(]at[\])]/i

const EMAIL = /[^\s@]@[^\s@]+\.[a-z]{2,}/i

/** One person's name, or a text with several names. */
export const normalizeName: Normalize = (value) => {
  const text = normalizeLine(value)
  // A text that starts with a comma lacks the name before it.
  if (text === undefined || text.startsWith(',')) return undefined
  if (splitPrefix(text)?.kind === 'role') return undefined
  const name = withoutHidden(nameIn(text))
  return name === '' || isNotAName(name) ? undefined : name
}

/** The title of a link to the author: a name, or a link text such as "About the author", which is rejected. */
export const normalizeLinkTitle: Normalize = (value) => {
  const name = normalizeName(value)
  return name === undefined || hasOtherWord(name) ? undefined : name
}

const normalizeLine = rejectAddresses(normalizeText(MAX_LINE_LENGTH))

/** Joins names with commas, without duplicates, and truncates the text. */
export function joinNames(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const seen = new Map<string, string>()
  for (const name of names) if (!seen.has(name.toLowerCase())) seen.set(name.toLowerCase(), name)
  return shortened([...seen.values()].join(', '), MAX_LINE_LENGTH)
}

function nameIn(text: string): string {
  const name = withoutPrefix(text)
  if (!ADDITION.test(name)) return trimCharacters(name, SEPARATORS)
  const person = name.replace(ADDRESS_AFTER_NAME, '').replace(JOB_AFTER_NAME, '')
  // `Name / Job` and `Name | Site`; `AFP/dpa` has no spaces.
  return trimCharacters(person.split(/ [/|／｜] /, 1)[0]!, SEPARATORS)
}

/** Removes "By", "Written by", "Autor:" … */
function withoutPrefix(text: string): string {
  const split = splitPrefix(text)
  if (split === undefined || split.rest === '') return text
  const { kind, rest, isSeparated } = split
  if (isSeparated || kind === 'phrase') return rest
  // "Location Scout" and "Text Books" are names.
  const canBePrefix = kind === 'preposition' || kind === 'noun'
  return canBePrefix && TWO_CAPITALIZED_WORDS.test(rest) ? rest : text
}

const SEPARATORS = ' ,;:|·•—–-'

function isNotAName(name: string): boolean {
  const lower = name.toLowerCase()
  if (PLACEHOLDER_NAMES.has(lower) || MISSING.test(lower) || isLabel(lower) || isWeekday(lower)) return true
  if (endsInPreposition(name) || HIDDEN_EMAIL.test(name) || !/\p{L}/u.test(name)) return true
  if (name.includes('@') && (!name.includes(' ') || EMAIL.test(name))) return true
  return name.includes('://') || name.includes('www.') || TIME_OF_DAY.test(name) || CREDITS.test(name)
}
