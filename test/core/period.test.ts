import { expect, test } from 'bun:test'

import { dayOf, minuteEndSeconds, minuteOf, monthEnd, monthOf, retryAfterSeconds } from '../../src/core/period.ts'

test.each([
  ['the first instant of a month', '2026-11-01T00:00:00.000Z', '2026-11', '2026-11-01'],
  ['the last instant of a month', '2026-11-30T23:59:59.999Z', '2026-11', '2026-11-30'],
  ['the last instant of a year', '2026-12-31T23:59:59.999Z', '2026-12', '2026-12-31'],
  ['a leap day', '2028-02-29T12:00:00.000Z', '2028-02', '2028-02-29'],
  ['a time zone ahead of UTC', '2026-12-01T01:00:00.000+02:00', '2026-11', '2026-11-30'],
])('month and day of %s', (_, time, month, day) => {
  expect(monthOf(Date.parse(time))).toBe(month)
  expect(dayOf(Date.parse(time))).toBe(day)
})

test.each([
  ['2026-11', '2026-12-01T00:00:00Z'],
  ['2026-12', '2027-01-01T00:00:00Z'],
  ['2028-01', '2028-02-01T00:00:00Z'],
])('%s ends at %s', (month, end) => expect(monthEnd(month)).toBe(end))

test.each([
  ['2026-11-20T12:34:00.000Z', '2026-11-20T12:35:00.000Z'],
  ['2026-11-20T12:34:59.999Z', '2026-11-20T12:35:00.000Z'],
  ['2026-11-20T12:35:00.000Z', '2026-11-20T12:36:00.000Z'],
])('the minute of %s ends at %s', (time, end) =>
  expect(minuteEndSeconds(minuteOf(Date.parse(time))) * 1000).toBe(Date.parse(end)),
)

test.each([
  ['in the middle of the minute', 42_000, 18],
  ['a fraction of a second before its end', 59_500, 1],
  ['at its end', 60_000, 1],
  ['after its end', 90_000, 1],
  ['at its start', 0, 60],
  ['after the clock was set back by 90 s', -48_000, 60],
])('Retry-After %s', (_, nowMs, seconds) => expect(retryAfterSeconds(60, nowMs)).toBe(seconds))
