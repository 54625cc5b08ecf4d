import { DAY_MS } from '../../duration.ts'

/** The calendars of dates on pages, by their names in Unicode's CLDR. */
export type Calendar = 'gregory' | 'buddhist' | 'persian' | 'islamic-umalqura'

export interface CalendarDay {
  year: number
  month: number
  day: number
}

/** Unix milliseconds of a day in 1991, and the mean days of a year and a month, to guess another day from. */
const CONVERTED = {
  persian: { start: Date.UTC(1991, 2, 21), year: 1370, yearDays: 365.2422, monthDays: 30.5 },
  'islamic-umalqura': { start: Date.UTC(1991, 6, 13), year: 1412, yearDays: 354.367, monthDays: 29.53 },
} as const

/** A guess is off by a few days at most. */
const MAX_STEPS = 8

/** Buddhist years are counted from 543 BC. */
export const BUDDHIST_OFFSET = 543

/** The same day in the Gregorian calendar; undefined if there is no such day. */
export function toGregorian(calendar: Calendar, date: CalendarDay): CalendarDay | undefined {
  if (calendar === 'gregory') return date
  if (calendar === 'buddhist') return { ...date, year: date.year - BUDDHIST_OFFSET }
  const { start, year, yearDays, monthDays } = CONVERTED[calendar]
  const offset = (date.year - year) * yearDays + (date.month - 1) * monthDays + date.day - 1
  let ms = start + Math.round(offset) * DAY_MS
  for (let step = 0; step < MAX_STEPS; step++) {
    const found = dayIn(ms, calendar)
    const ahead = (found.year - date.year) * yearDays + (found.month - date.month) * monthDays + found.day - date.day
    if (ahead === 0) return gregorianDay(ms)
    // The difference in days is exact within a month, and at least one otherwise.
    ms -= (Math.round(ahead) || Math.sign(ahead)) * DAY_MS
  }
  return undefined
}

const formats = new Map<Calendar, Intl.DateTimeFormat>()

function dayIn(ms: number, calendar: keyof typeof CONVERTED): CalendarDay {
  const format = formats.getOrInsertComputed(
    calendar,
    () => new Intl.DateTimeFormat(`en-u-ca-${calendar}-nu-latn`, { dateStyle: 'short', timeZone: 'UTC' }),
  )
  const [month = 0, day = 0, year = 0] = format
    .formatToParts(ms)
    .filter(({ type }) => ['year', 'month', 'day'].includes(type))
    .map(({ value }) => Number(value))
  return { year, month, day }
}

function gregorianDay(ms: number): CalendarDay {
  const date = new Date(ms)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}
