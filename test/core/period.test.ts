import { expect, test } from 'bun:test'

import {
  dayOf,
  minuteEndSeconds,
  minuteOf,
  monthEnd,
  monthOf,
  monthsBefore,
  rangeOf,
  retryAfterSeconds,
} from '../../src/core/period.ts'

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
  ['2026-03-31T12:00:00Z', 0, '2026-03'],
  ['2026-03-31T12:00:00Z', 1, '2026-02'],
  ['2026-03-31T23:59:59Z', 3, '2025-12'],
])('the month of %s and %d before is %s', (now, count, month) =>
  expect(new Date(monthsBefore(Date.parse(now), count)).toISOString()).toBe(`${month}-01T00:00:00.000Z`),
)

test.each([
  ['2028-02-29', '2028-02-29T00:00:00.000Z 2028-03-01T00:00:00.000Z'],
  ['2026-11-20T23', '2026-11-20T23:00:00.000Z 2026-11-21T00:00:00.000Z'],
  ['2026-02-29', undefined],
  ['2026-11-20T24', undefined],
  ['2026-11', undefined],
  ['2026-11-20T1', undefined],
  ['2026-11-20T12:34', undefined],
  ['yesterday', undefined],
  ['', undefined],
])('the range of %p', (time, range) =>
  expect(
    rangeOf(time)
      ?.map((ms) => new Date(ms).toISOString())
      .join(' '),
  ).toBe(range),
)

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
