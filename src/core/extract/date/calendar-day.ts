import { DAY_MS } from '../../duration.ts'
import { type Calendar, type CalendarDay, toGregorian } from './calendars.ts'
import { asciiDigits } from './digits.ts'
import { monthByName, type NamedMonth } from './month-names.ts'

export interface DayOptions {
  /** The language of the page: `en-US` writes the month first. */
  language: string
  /** The latest possible day, in milliseconds since 1970. */
  now: number
}

/** The year of the first web page. */
export const FIRST_YEAR = 1991

/** Years before and after these are of other calendars, because nothing on the web is as old or as far in the future. */
export const LAST_ISLAMIC_YEAR = 1500
export const FIRST_BUDDHIST_YEAR = 2450

/** Tolerance for time zones, which are up to 14 hours ahead of UTC. */
const MAX_AHEAD_MS = DAY_MS

/** The maximum number of characters to search for a date. Elements marked as dates have a few dozen. */
const MAX_TEXT = 300

/** A quick check, because most texts have no date. Digits of other scripts are converted first. */
const YEAR = /\d{4}/

const YEAR_FIRST = /(?<!\d)(\d{4})\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d)/u
const DAY_OR_MONTH_FIRST = /(?<![\d.:/])(\d{1,2})([./-])\s?(\d{1,2})[./-]\s?(\d{4})(?!\d|\.\d)/
const SHORT = /(?<![\d.:/])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{2})(?![\d.:])/
/** Vietnamese months have numbers instead of names: "17 tháng 1, 2024". */
const NUMBERED_MONTH = /(?<!\d)(\d{1,2}) (?:tháng|thg) (\d{1,2}),? (?:năm )?(\d{4})(?!\d)/iu

/** Words that may be the name of a month, with the points of abbreviations: "Sept", "ม.ค.", "janv.". */
const WORD = /\p{L}[\p{L}\p{M}'’׳॰.]*/gu

/** The maximum number of words to look up in a text. */
const MAX_WORDS = 40

/** Between the parts of a date: white space and punctuation, and words such as "of", "gada", "พ.ศ.". */
const JOINT = String.raw`(?:[\s.,،·/'’()-]|\(e\)ko|\(a\)|(?<!\p{L})(?:st|nd|rd|th|er|º|ª|of|de|del|d|di|do|da|den|ta|na|г|р|թ|ж|ค\.?ศ\.?|พ\.?ศ\.?|gada|m|e?ko|a|هـ|م|ـ)(?!\p{L})|(?<=\d)(?:st|nd|rd|th|er|º|ª)(?!\p{L})){0,12}`
const DAY = String.raw`(?<!\d|\d[.,:])(?<day>\d{1,2})`
const FULL_YEAR = String.raw`(?<year>\d{4})(?!\d)`
/** The order of the parts before and after the name of the month. */
const ORDERS: readonly (readonly [before: RegExp, after: RegExp])[] = [
  [`${DAY}${JOINT}$`, `^${JOINT}${FULL_YEAR}`],
  ['', String.raw`^${JOINT}(?<day>\d{1,2})(?!\d|:)${JOINT}${FULL_YEAR}`],
  [String.raw`(?<!\d)${FULL_YEAR}${JOINT}${DAY}${JOINT}$`, ''],
  [String.raw`(?<!\d)${FULL_YEAR}${JOINT}$`, String.raw`^${JOINT}(?<day>\d{1,2})(?!\d)`],
].map(([before, after]) => [new RegExp(before!, 'iu'), new RegExp(after!, 'iu')] as const)

/** The maximum distance of the day and the year from the name of the month, in characters. */
const MAX_DISTANCE = 24

/** The first day in a text, as `2016-12-15`; undefined when there is none or the order of day and month is unknown. */
export function dayIn(text: string, options: DayOptions): string | undefined {
  const words = asciiDigits(text.slice(0, MAX_TEXT))
  if (!YEAR.test(words)) return undefined
  const yearFirst = YEAR_FIRST.exec(words)
  if (yearFirst) return validDay(yearFirst[1]!, yearFirst[2]!, yearFirst[3]!, options)
  const named = namedDay(words, options)
  if (named !== undefined) return named === 'invalid' ? undefined : named
  const [, first, separator, second, year] = DAY_OR_MONTH_FIRST.exec(words) ?? []
  return year === undefined ? undefined : inOrder(Number(first), Number(second), year, separator!, options)
}

/** The first day with the name of a month, which no country reads otherwise. */
export function namedDayIn(text: string, options: DayOptions): string | undefined {
  const named = namedDay(asciiDigits(text.slice(0, MAX_TEXT)), options)
  return named === 'invalid' ? undefined : named
}

function namedDay(text: string, options: DayOptions): string | 'invalid' | undefined {
  const [, numberedDay, numberedMonth, numberedYear] = NUMBERED_MONTH.exec(text) ?? []
  if (numberedYear !== undefined) return validDay(numberedYear, numberedMonth!, numberedDay!, options) ?? 'invalid'
  const words = Array.from(text.matchAll(WORD).take(MAX_WORDS))
  for (const [i, { 0: word, index }] of words.entries()) {
    const hasYearBeside = YEAR.test(text.slice(Math.max(0, index - MAX_DISTANCE), index + word.length + MAX_DISTANCE))
    if (!hasYearBeside) continue
    const next = words[i + 1]
    // Arabic has names of two words.
    const phrase = next === undefined ? word : text.slice(index, next.index + next[0].length)
    for (const name of phrase === word ? [word] : [phrase, word]) {
      const named = monthByName(name, options.language)
      const parts = named && partsAround(text, index, index + name.length)
      if (parts) return validNamedDay(named, parts, options) ?? 'invalid'
    }
  }
  return undefined
}

/** The day and the year beside the name of a month. */
function partsAround(text: string, start: number, end: number): { day: string; year: string } | undefined {
  const [before, after] = [text.slice(Math.max(0, start - MAX_DISTANCE), start), text.slice(end, end + MAX_DISTANCE)]
  for (const [beforeName, afterName] of ORDERS) {
    const found = [beforeName.exec(before)?.groups, afterName.exec(after)?.groups]
    const { day, year } = { ...found[0], ...found[1] }
    if (day !== undefined && year !== undefined) return { day, year }
  }
  return undefined
}

/**
 * The first day with a two-digit year after dots: `30.10.23`. Only for elements marked as dates; in other text it may
 * be a version.
 */
export function shortDayIn(text: string, options: DayOptions): string | undefined {
  const digits = SHORT.exec(asciiDigits(text.slice(0, MAX_TEXT)))
  return digits === null ? undefined : validDay(`20${digits[3]}`, digits[2]!, digits[1]!, options)
}

/** A year in a calendar other than the Gregorian one. Buddhist years are 543 ahead. */
function calendarOf(year: number, language: string): Calendar {
  if (year >= FIRST_BUDDHIST_YEAR) return 'buddhist'
  if (year > LAST_ISLAMIC_YEAR) return 'gregory'
  return /^(?:fa|ps)\b/.test(language) ? 'persian' : 'islamic-umalqura'
}

function validNamedDay(
  { month, calendar }: NamedMonth,
  { day, year }: { day: string; year: string },
  options: DayOptions,
) {
  const date = toGregorian(calendar, { year: Number(year), month, day: Number(day) })
  return date && validDay(String(date.year), date.month, date.day, options)
}

/** Formats a day; undefined unless it exists, is after 1990 and is not in the future. */
function validDay(year: string, month: string | number, day: string | number, options: DayOptions): string | undefined {
  const date = { year: Number(year), month: Number(month), day: Number(day) }
  const found = toGregorian(calendarOf(date.year, options.language), date)
  const text = found && isoDay(found)
  if (text === undefined || found!.year < FIRST_YEAR) return undefined
  return isPast(Date.parse(text), options) ? text : undefined
}

/** Whether a time is not in the future. */
export function isPast(ms: number, { now }: DayOptions): boolean {
  return ms <= now + MAX_AHEAD_MS
}

/** Formats a day; undefined unless it exists. */
export function isoDay({ year, month, day }: CalendarDay): string | undefined {
  const text = [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')
  const ms = Date.parse(`${text}T00:00:00Z`)
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text) ? text : undefined
}

/** `3/4/2016` is 4 March in the United States, 3 April in most other countries, and ambiguous for plain `en`. */
function inOrder(first: number, second: number, year: string, separator: string, options: DayOptions) {
  const language = options.language.toLowerCase().replace('_', '-')
  if (first === second || first > 12 || separator === '.') return validDay(year, second, first, options)
  if (second > 12) return validDay(year, first, second, options)
  if (/^(?:en-us|en-ph|es-us)/.test(language)) return validDay(year, first, second, options)
  return language === '' || language === 'en' ? undefined : validDay(year, second, first, options)
}

/**
 * `/2016/07/30/` and `/2016-07-30-title`: a day in path segments, or at the start or end of a segment. `/2016-07/30/` and
 * `/2016/0730/` are paths of Chinese news sites.
 */
const SEPARATED = /\/(?:[^/]*[-_])?((?:19|20)\d{2})(?:([/_-])(\d{1,2})\2|-(\d{2})\/|\/(\d{2}))(\d{1,2})(?=[/_.-]|$)/

/** `/20160730-title`, `/title-20160730` and `/alert20160730.html`. Longer numbers are ids. */
const JOINED = /(?<=[/_a-z-])((?:19|20)\d{2})(\d{2})(\d{2})(?=[/_.-]|$)/

/** `/30-07-2016-title` and `/30072016-title`; the language decides which number is the day. */
const DAY_FIRST = /(?<=[/~])(\d{2})(-?)(\d{2})\2(20\d{2})(?=[/_.-]|$)/

/** The day in the path of a page, as `2016-07-30`. */
export function pathDay(path: string, options: DayOptions): string | undefined {
  const match = SEPARATED.exec(path)
  if (match) return validDay(match[1]!, (match[3] ?? match[4] ?? match[5])!, match[6]!, options)
  const joined = JOINED.exec(path)
  if (joined) return validDay(joined[1]!, joined[2]!, joined[3]!, options)
  const dayFirst = DAY_FIRST.exec(path)
  return dayFirst ? dayIn(`${dayFirst[1]}-${dayFirst[3]}-${dayFirst[4]}`, options) : undefined
}
