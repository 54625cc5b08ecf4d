import { DAY_MS } from '../../duration.ts'
import { MAX_LINE_LENGTH, normalizeText } from '../reading/normalize.ts'
import type { FieldKind } from '../sources/field.ts'
import {
  type DayOptions,
  dayIn,
  FIRST_BUDDHIST_YEAR,
  FIRST_YEAR,
  isoDay,
  isPast,
  LAST_ISLAMIC_YEAR,
} from './calendar-day.ts'
import { BUDDHIST_OFFSET } from './calendars.ts'
import { hasOtherDigit } from './digits.ts'

const normalizeLine = normalizeText(MAX_LINE_LENGTH)

/** Times before the web are defaults of systems. */
const FIRST_MS = Date.UTC(FIRST_YEAR, 0)

/** Seconds since 1970, ten digits since 2001, or milliseconds. */
const TIMESTAMP = /^(?:\d{10}|\d{13})$/
/** A time of ASP.NET in JSON: `/Date(1700000000000+0100)/`. */
const ASP_NET_TIME = /^\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\/$/
/** A time as JavaScript writes it: `Wed Mar 08 2023 11:01:00 GMT+0000 (Coordinated Universal Time)`. */
const JAVASCRIPT_TIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d{2} \d{4} [\d:]{8} GMT[+-]\d{4}(?: \([^()]*\))?$/

const ISO_DAY = /^(\d{4})([-/]?)(\d{2})\2(\d{2})(?!\d)/
/** `2024-W05`, `2024W053` */
const ISO_WEEK = /^\d{4}-?W\d\d/

/** What systems write for a missing time, such as `-0001-11-30` (PHP), `0000-00-00` (MySQL) and `1/1/0001` (.NET). */
const NO_TIME = /^(?:-|[0:]+$|\d{4}-00-00)|(?:^|[\s/])-?000[01]\b/

/** The days on which the calendars of Unix (also west of Greenwich), SQL Server, OLE, Windows and Oracle start or end. */
const NO_DAYS = '1970-01-01 1969-12-31 1900-01-01 1753-01-01 1899-12-30 1601-01-01 9999-12-31'.split(' ')

/**
 * A time in metadata. It is returned as written, except that numbers and times that only some programs read are converted
 * to ISO 8601. Undefined for days that do not exist or are in the future, weeks, and the days of systems without a time.
 */
function metadataTime(value: string, options: DayOptions): string | undefined {
  const text = normalizeLine(value)
  if (text === undefined || !/\p{Nd}/u.test(text) || NO_TIME.test(text) || ISO_WEEK.test(text)) return undefined
  const ms = millisecondsIn(text)
  if (ms !== undefined) return isPast(ms, options) && ms >= FIRST_MS ? new Date(ms).toISOString() : undefined
  const [written, year, , month, day] = ISO_DAY.exec(text) ?? []
  if (written !== undefined && Number(year) > LAST_ISLAMIC_YEAR) {
    const isBuddhist = Number(year) >= FIRST_BUDDHIST_YEAR && Number(year) < FIRST_BUDDHIST_YEAR + 200
    const common = Number(year) - (isBuddhist ? BUDDHIST_OFFSET : 0)
    const iso = isoDay({ year: common, month: Number(month), day: Number(day) })
    if (iso === undefined || NO_DAYS.includes(iso) || !isPast(Date.parse(iso), options)) return undefined
    return isBuddhist ? `${common}${text.slice(4)}` : text
  }
  // Programs do not read other calendars and digits.
  if (written !== undefined || hasOtherDigit(text)) return dayIn(text, options)
  const parsed = Date.parse(text)
  if (Number.isNaN(parsed)) return /\p{L}{3}/u.test(text) ? (dayIn(text, options) ?? text) : text
  return isPast(parsed, options) && !isNoDay(parsed) ? text : undefined
}

/** A time in metadata, or a day as this service writes it. */
export const time: FieldKind =
  ({ locale, now }) =>
  (value) =>
    metadataTime(value, { language: locale, now })

/** A time that is only a year, as in catalogs. */
export const yearAlone = (value: string) => (/^\d{4}$/.test(value) ? value : undefined)

function millisecondsIn(text: string): number | undefined {
  if (TIMESTAMP.test(text)) return Number(text.padEnd(13, '0'))
  const aspNet = ASP_NET_TIME.exec(text)
  if (aspNet !== null) return Number(aspNet[1])
  return JAVASCRIPT_TIME.test(text) ? Date.parse(text) : undefined
}

/** The day as written is that of an unknown time zone. */
function isNoDay(ms: number): boolean {
  return [-1, 0, 1].some((days) => {
    const date = new Date(ms + (days * DAY_MS) / 2)
    return Number.isNaN(date.getTime()) || NO_DAYS.includes(date.toISOString().slice(0, 10))
  })
}
