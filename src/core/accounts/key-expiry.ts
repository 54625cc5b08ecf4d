import { DAY_MS, HOUR_MS } from '../duration.ts'
import { AppError } from '../errors.ts'
import { dayOf } from '../period.ts'

/** How long a rotated key can keep working. Limited, so that a replaced key does not stay active by oversight. */
export const OVERLAPS = [
  { name: '0', label: 'Stop immediately', ms: 0 },
  { name: '1h', label: '1 hour', ms: HOUR_MS },
  { name: '24h', label: '24 hours', ms: DAY_MS },
  { name: '7d', label: '7 days', ms: 7 * DAY_MS },
] as const

/** The number of days for which a key works, and its last day: `2027-01-31`. */
export type ExpiryPreset = ReturnType<typeof expiryPresets>[number]

/** The choices in forms, in addition to a custom date. */
export function expiryPresets(nowMs: number) {
  return [7, 30, 60, 90].map((days) => ({ days, lastDay: dayOf(nowMs + days * DAY_MS) }))
}

/** Owners are alerted this long before a key expires, so that they can rotate it before requests fail. */
export const EXPIRES_SOON_MS = 7 * DAY_MS

/** Returns the overlap in milliseconds; null if no overlap has this name. */
export function parseOverlap(text: string): number | null {
  return OVERLAPS.find(({ name }) => name === text)?.ms ?? null
}

export const EXPECTED_DATE = 'The expiry date must be a date such as 2027-01-31'

/**
 * The end of a day (UTC) in Unix milliseconds: a key that expires on `2027-01-31` works until midnight. Null for ''.
 * @throws AppError `invalid_request` unless `text` is a day from today to 9999-12-30
 */
export function parseExpiryDay(text: string, nowMs: number): number | null {
  const day = text.trim()
  if (day === '') return null
  const startMs = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : NaN
  // Date.parse accepts 30 February and returns 2 March.
  if (Number.isNaN(startMs) || dayOf(startMs) !== day) throw new AppError('invalid_request', EXPECTED_DATE)
  if (startMs + DAY_MS <= nowMs) throw new AppError('invalid_request', 'The expiry date must not be in the past')
  if (startMs + DAY_MS > LAST_EXPIRY_MS)
    throw new AppError('invalid_request', 'The expiry date must be before 9999-12-31')
  return startMs + DAY_MS
}

/** The last day of a key, `2027-01-31`: the inverse of `parseExpiryDay`. '' for a key that does not expire. */
export function expiryDayOf(expiresAtMs: number | null): string {
  return expiresAtMs === null ? '' : dayOf(expiresAtMs - 1)
}

/**
 * The expiry of a key that replaces this one at `nowMs`, also after this one has expired. The new key lasts as many
 * days as this one from its creation to its expiry. If that is less than a day, the new key lasts at least as long,
 * until the end of a day. Null if this one never expires.
 */
export function successorExpiry(
  { createdAtMs, expiresAtMs }: { createdAtMs: number; expiresAtMs: number | null },
  nowMs: number,
): number | null {
  if (expiresAtMs === null) return null
  const days = Math.max(0, Math.round((expiresAtMs - endOfDay(createdAtMs)) / DAY_MS))
  // A key of the rest of a day that is rotated at its end must not end minutes later.
  const leastMs = days === 0 ? Math.max(0, expiresAtMs - createdAtMs - 1) : 0
  return Math.min(endOfDay(nowMs + leastMs) + days * DAY_MS, LAST_EXPIRY_MS)
}

/**
 * The start of the last day with a four-digit year. The API and exports return expiry times, and many programs cannot
 * parse later times.
 */
const LAST_EXPIRY_MS = Date.UTC(9_999, 11, 31)

const endOfDay = (ms: number): number => (Math.floor(ms / DAY_MS) + 1) * DAY_MS
