import { validDay } from './calendar-day.ts'

/** `/2016/07/30/` and `/2016-07-30-title`: a day in path segments, or at the start or end of a segment. */
const SEPARATED = /\/(?:[^/]*[-_])?((?:19|20)\d{2})([/_-])(\d{1,2})\2(\d{1,2})(?=[/_.-]|$)/

/** `/20160730-title` and `/title-20160730`. Longer numbers are ids. */
const JOINED = /(?<=[/_-])((?:19|20)\d{2})(\d{2})(\d{2})(?=[/_.-]|$)/

/** The day in the path of a page, as `2016-07-30`. */
export function pathDay(path: string, now: number): string | undefined {
  const match = SEPARATED.exec(path)
  if (match) return validDay(match[1]!, match[3]!, match[4]!, now)
  const joined = JOINED.exec(path)
  return joined ? validDay(joined[1]!, joined[2]!, joined[3]!, now) : undefined
}
