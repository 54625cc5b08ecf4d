import { describe, expect, test } from 'bun:test'

import { AppError, MinuteLimitError, MonthLimitError } from '../../../src/core/errors.ts'
import { DEFAULT_PLANS } from '../../../src/core/plan.ts'
import { monthOf } from '../../../src/core/period.ts'
import { refusalHeaders, successResponse } from '../../../src/http/api/limit-headers.ts'
import { startApp } from '../app.ts'

const plan = DEFAULT_PLANS.starter
const at = (text: string) => Date.parse(text)
const minuteStatus = (remaining: number, resetsAt: string) => ({
  allowed: true,
  remaining,
  resetsAt: at(resetsAt) / 1_000,
})

describe('a successful response', () => {
  test.each<[string, string, { remaining: number; resetsAt: string; monthUsed: number; month?: string }, string]>([
    [
      'in the middle of a minute',
      '2026-11-20T12:00:18Z',
      { remaining: 59, resetsAt: '2026-11-20T12:01:00Z', monthUsed: 1 },
      '"minute";r=59;t=42, "month";r=9999;t=907182',
    ],
    [
      'a fraction of a second is rounded up',
      '2026-11-30T23:59:59.500Z',
      { remaining: 3, resetsAt: '2026-12-01T00:00:00Z', monthUsed: 10_000 },
      '"minute";r=3;t=1, "month";r=0;t=1',
    ],
    [
      'the last month of a year',
      '2026-12-31T23:59:00Z',
      { remaining: 0, resetsAt: '2027-01-01T00:00:00Z', monthUsed: 5 },
      '"minute";r=0;t=60, "month";r=9995;t=60',
    ],
    [
      'more used than the plan allows after a downgrade',
      '2026-11-30T00:00:00Z',
      { remaining: 0, resetsAt: '2026-11-30T00:01:00Z', monthUsed: 20_000 },
      '"minute";r=0;t=60, "month";r=0;t=86400',
    ],
    [
      'a minute that has ended',
      '2026-11-20T12:01:00.001Z',
      { remaining: 1, resetsAt: '2026-11-20T12:01:00Z', monthUsed: 0 },
      '"minute";r=1;t=0, "month";r=10000;t=907140',
    ],
    [
      'a month that has ended since the request arrived',
      '2026-12-01T00:00:04Z',
      { remaining: 3, resetsAt: '2026-12-01T00:00:00Z', monthUsed: 10_000, month: '2026-11' },
      '"minute";r=3;t=0, "month";r=0;t=0',
    ],
  ])('%s', (_, now, { remaining, resetsAt, monthUsed, month = monthOf(at(now)) }, expected) => {
    const { headers } = successResponse(
      '{}',
      plan,
      { minute: minuteStatus(remaining, resetsAt), month, monthUsed },
      at(now),
    )
    expect(headers.get('ratelimit-policy')).toBe('"minute";q=60;w=60, "month";q=10000')
    expect(headers.get('ratelimit')).toBe(expected)
  })
})

describe('a 429 response', () => {
  const now = at('2026-11-30T23:58:20Z')

  test('for the minute describes only that limit', () => {
    const error = new MinuteLimitError(plan, at('2026-11-30T23:59:00Z') / 1_000, 40)
    expect(refusalHeaders(error, now)).toMatchObject({
      'retry-after': '40',
      'ratelimit-policy': '"minute";q=60;w=60',
      ratelimit: '"minute";r=0;t=40',
    })
  })

  test.each([-2, 0, 1])('has the start of the next minute, even if the clock of Redis differs by %d s', (skew) => {
    const resetsAt = at('2026-11-30T23:59:00Z') / 1_000
    const error = new MinuteLimitError(plan, resetsAt + skew, 40)
    expect(refusalHeaders(error, now)).toMatchObject({ 'x-ratelimit-reset': String(resetsAt) })
    const minute = { allowed: true, remaining: 1, resetsAt: resetsAt + skew }
    const { headers } = successResponse('{}', plan, { minute, month: '2026-11', monthUsed: 1 }, now)
    expect(headers.get('x-ratelimit-reset')).toBe(String(resetsAt))
  })

  test('for the month describes only that limit, without Retry-After', () => {
    const headers = refusalHeaders(new MonthLimitError(7, { ...plan, perMonth: 7 }, '2026-12-01T00:00:00Z'), now)
    expect(headers).toMatchObject({ 'ratelimit-policy': '"month";q=7', ratelimit: '"month";r=0;t=100' })
    expect(headers).not.toHaveProperty('retry-after')
  })

  test('another error has none of the headers', () => {
    expect(refusalHeaders(new AppError('not_found', 'Not found'), now)).toEqual({})
  })
})

describe('responses of the service', () => {
  // Structured Fields (RFC 9651): a list of strings with integer parameters.
  const LIST = /^"\w+"(;\w+=\d+)+(, "\w+"(;\w+=\d+)+)*$/

  test('have the draft headers with the same numbers as the X- headers', async () => {
    await using app = await startApp({ env: { URLMETA_PLAN_FREE_PER_MONTH: '1' } })
    const key = await app.createKey()
    const { headers } = await app.metadata(key, '/page')
    expect(headers.get('ratelimit-policy')).toBe('"minute";q=10;w=60, "month";q=1')
    expect(headers.get('ratelimit')).toMatch(LIST)
    expect(headers.get('ratelimit')).toStartWith(`"minute";r=${headers.get('x-ratelimit-remaining')};t=`)
    expect(headers.get('ratelimit')).toContain(`, "month";r=${headers.get('x-monthly-remaining')};t=`)
    const rejected = await app.metadata(key, '/page')
    expect([rejected.status, rejected.headers.get('ratelimit-policy')]).toEqual([429, '"month";q=1'])
    expect(rejected.headers.get('ratelimit')).toMatch(/^"month";r=0;t=\d+$/)
  })
})
