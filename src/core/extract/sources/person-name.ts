import { MAX_LINE_LENGTH, type Normalize, normalizeText, rejectAddresses } from '../reading/normalize.ts'
import { endsInPreposition, hasOtherWord, isLabel, splitPrefix } from './byline-words.ts'
import { truncate } from '../reading/text.ts'
import { isWeekday } from './weekdays.ts'

/**
 * Names can start with `Von` and `Di`, as in `Di Stefano`. They are removed only before two capitalized words, which may
 * have particles of a name between them: `Von Max von der Leyen`.
 */
const TWO_CAPITALIZED_WORDS =
  /^\p{Lu}\S*\s+(?:(?:af|av|da|de|degli|del|della|den|der|di|do|dos|du|la|le|ten|ter|van|von|zu|zum|zur)\s+){0,3}\S*\p{Lu}/u

/** Text that content management systems write when they have no name. */
const PLACEHOLDER_NAMES: ReadonlySet<string> = new Set(
  (
    'null,undefined,none,nil,nan,admin,administrator,administrador,root,unknown,anonymous,author,authors,user,users,' +
    'guest,editor,webmaster,default,test,autor,auteur,autore,n/a,na,object,true,false,' +
    'no author,not available,no name,your name,site admin,super user,super admin,web master,[object object],' +
    'discuz! team and comsenz ui team'
  ).split(','),
)

/** A web or mail address in brackets after a name. */
const ADDRESS_AFTER_NAME =
  /\s*(?:[(<](?=[^\s()<>]*(?::\/\/|www\.|@))[^\s()<>]*|\[(?=[^\s()<>[]*(?::\/\/|www\.|@))[^\s()<>[]*)[)>\]]$/

/** A job after a name, in languages that put it there. */
const JOB_AFTER_NAME = /\s*(?:기자|특파원|記者|记者)$/

/** Characters of these, and of separators before a job or site: a quick check, because most names have none. */
const ADDITION = /[(<[기특記记/|／｜]/

/** An address written so that machines don't find it: `jo[at]site.test`. */
const HIDDEN_EMAIL = /[[(]at[\])]/i

const EMAIL = /[^\s@]@[^\s@]+\.[a-z]{2,}/i

/** One person's name, or a text with several. */
export const normalizeName: Normalize = (value) => {
  const text = normalizeLine(value)
  if (text === undefined) return undefined
  const name = nameIn(text)
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
  return truncate([...seen.values()].join(', '), MAX_LINE_LENGTH)
}

function nameIn(text: string): string {
  const name = withoutPrefix(text)
  if (!ADDITION.test(name)) return withoutSeparators(name)
  const person = name.replace(ADDRESS_AFTER_NAME, '').replace(JOB_AFTER_NAME, '')
  // `Name / Job` and `Name | Site`; `AFP/dpa` has no spaces.
  return withoutSeparators(person.split(/ [/|／｜] /, 1)[0]!)
}

/** Removes "By", "Written by", "Autor:" … */
function withoutPrefix(text: string): string {
  const split = splitPrefix(text)
  if (split === undefined || split.rest === '') return text
  const { kind, rest, isSeparated } = split
  return isSeparated || kind === 'phrase' || TWO_CAPITALIZED_WORDS.test(rest) ? rest : text
}

const SEPARATORS = ' ,;:|·•—–-'

function withoutSeparators(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && SEPARATORS.includes(text[start]!)) start++
  while (end > start && SEPARATORS.includes(text[end - 1]!)) end--
  return text.slice(start, end)
}

function isNotAName(name: string): boolean {
  const lower = name.toLowerCase()
  if (PLACEHOLDER_NAMES.has(lower) || isLabel(lower) || isWeekday(lower) || !/\p{L}/u.test(name)) return true
  if (endsInPreposition(lower) || HIDDEN_EMAIL.test(name)) return true
  if (name.includes('@') && (!name.includes(' ') || EMAIL.test(name))) return true
  return name.includes('://') || name.includes('www.')
}
