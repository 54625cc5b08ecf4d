import { monthByName } from '../date/month-names.ts'
import type { Normalize } from '../reading/normalize.ts'
import { hasOtherWord, PREPOSITIONS, splitPrefix } from '../sources/byline-words.ts'
import { normalizeName } from '../sources/person-name.ts'
import { isWeekday } from '../sources/weekdays.ts'

/** The maximum length and number of words of a text with one or a few names. */
const MAX_NAME_LENGTH = 80
const MAX_WORDS = 12

/** The maximum length of a line that starts with names. */
const MAX_LINE_LENGTH = 200

/** Text that follows a name in a byline: a date, a job, a place. */
const AFTER_NAME =
  /\s?[|•·]\s?|\s[–—-]\s|\s\d|\d+[./-]\d|,? (?:on|am|le|published|updated|veröffentlicht|publié|posted|aktualisiert|for the|special to)(?=\s|$)/iu

/** Characters that do not occur in names, and runs of more Chinese or Japanese characters than a name has. */
const NON_NAME = /[\d:?!"“”=<>{}]|[\u3040-\u30ff\u4e00-\u9fff]{10}/

/** A date or time before a preposition, with or without a label: "Posted on May 3, 2021 by". */
const DATE_BEFORE = new RegExp(
  `^.{0,40}(?:\\d{4}|\\d[:.]\\d\\d)(?:\\s?(?:uhr|[ap]\\.?m\\.?))?[\\s,:/|–—-]+(?=(?:${PREPOSITIONS.join('|')}):?\\s)`,
  'i',
)

/** One or several names at the start of a short text. Text after them, as in a byline, is removed. */
export function visibleName(text: string, normalize: Normalize): string | undefined {
  if (text.length > MAX_LINE_LENGTH) return undefined
  const line = normalizeName(withoutDateBefore(text))
  if (line === undefined) return undefined
  const start = withoutJob(beforeDate(line))
  const name = start === line ? line : normalizeName(start)
  return name !== undefined && isNameLike(name) ? normalize(name) : undefined
}

/** Removes the date before the preposition of a byline. */
export function withoutDateBefore(text: string): string {
  const date = /\d\d/.test(text) ? DATE_BEFORE.exec(text)?.[0] : undefined
  if (date === undefined) return text
  const first = date.split(/[\s,.:]/, 1)[0]!
  const startsWithDate = /^\d/.test(first) || monthByName(first) !== undefined || isWeekday(first.toLowerCase())
  return startsWithDate || splitPrefix(text)?.kind === 'label' ? text.slice(date.length) : text
}

/** The part of a line before a date or similar: `Jo Doe, May 4` is cut before the month. */
function beforeDate(line: string): string {
  const start = line.split(AFTER_NAME, 1)[0]!
  const isBeforeDigit = /^\s?\d/.test(line.slice(start.length))
  const lastWord = start.slice(start.lastIndexOf(' ') + 1)
  return isBeforeDigit && monthByName(lastWord) !== undefined ? start.slice(0, -lastWord.length) : start
}

/** Academic and professional titles, and generations, which are a part of a name after a comma. */
const TITLE_AFTER_NAME = /^(?:[A-Z][A-Za-z]*\.?){1,2}[A-Z]\.?$|^[JS]r\.?$|^[IVX]+$/

/** The names in a line without the job or the place after them: "Jo Doe, Staff Writer", "Jo Doe, Springfield". */
function withoutJob(line: string): string {
  const [name = '', ...parts] = line.split(', ')
  if (!name.includes(' ')) return line
  const isPlace = (part: string) => /^\p{Lu}\p{Ll}+$/u.test(part)
  const end = parts.findIndex((part) => hasOtherWord(part) || (isPlace(part) && !TITLE_AFTER_NAME.test(part)))
  return end < 0 ? line : [name, ...parts.slice(0, end)].join(', ')
}

/** Undefined for a text that is longer than a name. */
export function shortName(text: string, normalize: Normalize): string | undefined {
  const name = normalize(text)
  return name === undefined || name.length > MAX_NAME_LENGTH ? undefined : name
}

function isNameLike(text: string): boolean {
  if (text.length > MAX_NAME_LENGTH || NON_NAME.test(text)) return false
  const words = text.split(' ')
  if (words.length > MAX_WORDS || (words.length === 1 && monthByName(text) !== undefined)) return false
  const capitals = words.filter((word) => /^[^\p{L}]*(?:\p{Lu}|\p{Lo})/u.test(word)).length
  return capitals > 0 && capitals >= words.length / 2 && !hasOtherWord(text)
}
