import { describe, expect, test } from 'bun:test'

import {
  DEFAULT_PLANS,
  limitChangesText,
  type LimitName,
  limitScope,
  limitsOf,
  type OwnLimits,
  parseOwnLimit,
  planLabelOf,
  planOfNewUser,
} from '../../src/core/plan.ts'
import { NO_OWN_LIMITS } from '../own-limits.ts'

describe('the limits of a user', () => {
  const of = (own: Partial<OwnLimits>) => limitsOf({ plans: DEFAULT_PLANS }, { plan: 'free', ...NO_OWN_LIMITS, ...own })

  test('without own limits are the object of the plan, so that headers are shared', () =>
    expect(of({})).toBe(DEFAULT_PLANS.free))

  test.each<[name: string, own: Partial<OwnLimits>, numbers: number[], scope: string]>([
    ['one', { perMinute: 5_000 }, [5_000, 1_000, 2], 'for this account'],
    ['another', { maxKeys: 7 }, [10, 1_000, 7], 'on the Free plan'],
    ['all', { perMinute: 1, perMonth: 2, maxKeys: 3 }, [1, 2, 3], 'for this account'],
    ['0, which is no missing limit', { perMonth: 0, maxKeys: 0 }, [10, 0, 0], 'on the Free plan'],
  ])('with own limits: %s', (_, own, numbers, scope) => {
    const limits = of(own)
    expect([limits.perMinute, limits.perMonth, limits.maxKeys]).toEqual(numbers)
    expect([limitScope(limits, 'perMinute'), planLabelOf(limits)]).toEqual([scope, 'Free with own limits'])
  })
})

test.each<[name: LimitName, text: string, value: number | null, error: string]>([
  ['perMinute', '1', 1, ''],
  ['perMinute', ' 1000000 ', 1_000_000, ''],
  ['perMinute', '', null, ''],
  ['perMinute', 'Plan', null, ''],
  ['perMinute', '0', null, 'Expected a whole number from 1 to 1000000, or plan'],
  ['perMinute', '1000001', null, 'Expected a whole number from 1 to 1000000, or plan'],
  ['perMinute', '-1', null, 'Expected a whole number from 1 to 1000000, or plan'],
  ['perMinute', '1e3', null, 'Expected a whole number from 1 to 1000000, or plan'],
  ['perMinute', '5000', 5_000, ''],
  ['perMinute', '5,000', 5_000, ''],
  ['perMinute', ' 1,000,000 ', 1_000_000, ''],
  ['perMinute', '5,00', null, 'Expected a whole number from 1 to 1000000, or plan'],
  ['perMinute', '5,000.5', null, 'Expected a whole number from 1 to 1000000, or plan'],
  ['perMinute', '5.000', null, 'Expected a whole number from 1 to 1000000, or plan'],
  ['perMinute', ',500', null, 'Expected a whole number from 1 to 1000000, or plan'],
  ['perMonth', '0', 0, ''],
  ['perMonth', '1000000001', null, 'Expected a whole number from 0 to 1000000000, or plan'],
  ['maxKeys', '10000', 10_000, ''],
  ['maxKeys', '10001', null, 'Expected a whole number from 0 to 10000, or plan'],
  ['maxKeys', '9'.repeat(1_000_000), null, 'Expected a whole number from 0 to 10000, or plan'],
])('an own limit: %s %.20j', (name, text, value, error) => expect(parseOwnLimit(name, text)).toEqual({ value, error }))

test('only changed limits are in the text of a change', () => {
  const before = { ...NO_OWN_LIMITS, perMonth: 5, maxKeys: 1 }
  expect(limitChangesText(before, { perMinute: 20, perMonth: null, maxKeys: 1 })).toBe(
    'Requests/min per key: plan → 20, Requests/month: 5 → plan',
  )
})

test.each([
  ['op@example.com', 'business'],
  ['jo@example.com', 'free'],
] as const)('a new account of %s starts on %s', (email, plan) =>
  expect(planOfNewUser(email, ['op@example.com'])).toBe(plan),
)
