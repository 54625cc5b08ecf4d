import { dayIn, type DayOptions, validDay } from './calendar-day.ts'

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
