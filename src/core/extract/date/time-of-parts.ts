import { firstOf } from '../../first-of.ts'

/** A day, or a whole time. */
const DAY = /^\d{4}-\d\d-\d\d(?:[T ]\d.*)?$/
/** `10:00`, `7:30:00 p.m.`, `7pm`, `19:00+02:00` */
const CLOCK = /^(\d{1,2})(?=:| ?[ap])(:\d\d(?::\d\d)?)?(?: ?([ap])\.?m\.?)?(Z|[+-]\d\d?(?::?\d\d)?)?$/i
const ZONE = /^(?:Z|[+-]\d\d?(?::?\d\d)?)$/

/**
 * A time whose day, clock time and time zone are separate texts, as `2024-05-02 19:30+02:00`; undefined without a day.
 * https://microformats.org/wiki/value-class-pattern#Date_and_time_parsing
 */
export function timeOfParts(parts: readonly string[] = []): string | undefined {
  const find = (pattern: RegExp) => firstOf(parts, (part) => pattern.exec(part) ?? undefined)
  const [day] = find(DAY) ?? []
  const [, hour, minutes = ':00', half, zone = find(ZONE)?.[0] ?? ''] = find(CLOCK) ?? []
  if (day === undefined || day.includes(':') || hour === undefined) return day
  const hours = half === undefined ? hour : String((Number(hour) % 12) + (/p/i.test(half) ? 12 : 0))
  return `${day} ${hours.padStart(2, '0')}${minutes}${zone}`
}
