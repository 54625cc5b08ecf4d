import { DAY_MS } from '../../duration.ts'
import { monthByName } from './month-names.ts'

export interface DayOptions {
  /** The language of the page: `en-US` writes the month first. */
  language: string
  /** The latest possible day, in milliseconds since 1970. */
  now: number
}

/** The year of the first web page. */
const FIRST_YEAR = 1991

/** Tolerance for time zones, which are up to 14 hours ahead of UTC. */
const MAX_AHEAD_MS = DAY_MS

/** The maximum number of characters to search for a date. Elements marked as dates have a few dozen. */
const MAX_TEXT = 300

/** A quick check, because most texts have no date. */
const YEAR = /\d{4}/

const YEAR_FIRST = /(?<!\d)(\d{4})\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d)/u
const DAY_OR_MONTH_FIRST = /(?<![\d.:/])(\d{1,2})([./-])\s?(\d{1,2})[./-]\s?(\d{4})(?!\d|\.\d)/
const SHORT = /(?<![\d.:/])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{2})(?![\d.:])/
const DAY_BEFORE_MONTH =
  /(?<!\d)(?<day>\d{1,2})(?:st|nd|rd|th|er|\.|º|ª)?[\s-]{1,2}(?:de |of |d['’])?(?<month>\p{L}{3,12})\.?,?[\s-]{1,2}(?:de |del )?(?<year>\d{4})(?!\d)/u
const MONTH_BEFORE_DAY =
  /(?<!\p{L})(?<month>\p{L}{3,12})\.?\s{1,2}(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s{1,2}(?<year>\d{4})(?!\d)/u

/** The first day in a text, as `2016-12-15`; undefined when there is none or its order of day and month is unknown. */
export function dayIn(text: string, options: DayOptions): string | undefined {
  const words = text.slice(0, MAX_TEXT)
  if (!YEAR.test(words)) return undefined
  const yearFirst = YEAR_FIRST.exec(words)
  if (yearFirst) return validDay(yearFirst[1]!, yearFirst[2]!, yearFirst[3]!, options.now)
  for (const form of [DAY_BEFORE_MONTH, MONTH_BEFORE_DAY]) {
    const { day, month: name, year } = form.exec(words)?.groups ?? {}
    const month = name === undefined ? undefined : monthByName(name)
    if (month !== undefined) return validDay(year!, month, day!, options.now)
  }
  const [, first, separator, second, year] = DAY_OR_MONTH_FIRST.exec(words) ?? []
  return year === undefined ? undefined : inOrder(Number(first), Number(second), year, separator!, options)
}

/** The first day in a text that has a year of two digits, after dots: `30.10.23`. Elsewhere that may be a version. */
export function shortDayIn(text: string, now: number): string | undefined {
  const digits = SHORT.exec(text.slice(0, MAX_TEXT))
  return digits === null ? undefined : validDay(`20${digits[3]}`, digits[2]!, digits[1]!, now)
}

/** Formats a day; undefined unless it exists, is after 1990 and is not in the future. */
function validDay(year: string, month: string | number, day: string | number, now: number): string | undefined {
  const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  const ms = Date.parse(`${text}T00:00:00Z`)
  const isDay = Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text)
  return isDay && Number(year) >= FIRST_YEAR && ms <= now + MAX_AHEAD_MS ? text : undefined
}

/** `3/4/2016` is 4 March in the United States, 3 April in most other countries, and ambiguous for plain `en`. */
function inOrder(first: number, second: number, year: string, separator: string, options: DayOptions) {
  const language = options.language.toLowerCase().replace('_', '-')
  if (first === second || first > 12 || separator === '.') return validDay(year, second, first, options.now)
  if (second > 12) return validDay(year, first, second, options.now)
  if (/^(?:en-us|en-ph|es-us)/.test(language)) return validDay(year, first, second, options.now)
  return language === '' || language === 'en' ? undefined : validDay(year, second, first, options.now)
}

/**
 * `/2016/07/30/` and `/2016-07-30-title`: a day in path segments, or at the start or end of a segment. `/2016-07/30/` and
 * `/2016/0730/` are paths of Chinese news sites.
 */
const SEPARATED = /\/(?:[^/]*[-_])?((?:19|20)\d{2})(?:([/_-])(\d{1,2})\2|-(\d{2})\/|\/(\d{2}))(\d{1,2})(?=[/_.-]|$)/

/** `/20160730-title` and `/title-20160730`. Longer numbers are ids. */
const JOINED = /(?<=[/_-])((?:19|20)\d{2})(\d{2})(\d{2})(?=[/_.-]|$)/

/** `/30-07-2016-title` and `/30072016-title`; which is the day depends on the language. */
const DAY_FIRST = /(?<=[/~])(\d{2})(-?)(\d{2})\2(20\d{2})(?=[/_.-]|$)/

/** The day in the path of a page, as `2016-07-30`. */
export function pathDay(path: string, options: DayOptions): string | undefined {
  const { now } = options
  const match = SEPARATED.exec(path)
  if (match) return validDay(match[1]!, (match[3] ?? match[4] ?? match[5])!, match[6]!, now)
  const joined = JOINED.exec(path)
  if (joined) return validDay(joined[1]!, joined[2]!, joined[3]!, now)
  const dayFirst = DAY_FIRST.exec(path)
  return dayFirst ? dayIn(`${dayFirst[1]}-${dayFirst[3]}-${dayFirst[4]}`, options) : undefined
}
