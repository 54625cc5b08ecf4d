import { describe, expect, test } from 'bun:test'

import {
  PLAYGROUND_KEY_ID,
  type RequestOutcome,
  type QuotaUnit,
  type QuotaRequest,
  type QuotaResult,
  type Settlement,
  type Usage,
} from '../../src/core/usage/ports.ts'
import { randomOf } from '../differential/random.ts'
import { randomRuns } from '../random-runs.ts'
import type { Open } from './open.ts'

export type UsageStore = { usage: Usage }

const NOVEMBER = '2026-11'
const NOON = Date.UTC(2026, 10, 20, 12)
const DAY_MS = 86_400_000

/** Keys and users are only ids: an implementation must not need their records. */
const unit: QuotaUnit = { userId: 'u1', keyId: 'k1', month: NOVEMBER }
const playground: QuotaUnit = { ...unit, keyId: null }

const reserve = async (usage: Usage, taking: QuotaUnit, limit: number) => {
  const [result] = await usage.apply({ requests: [{ unit: taking, limit, chargedAtMs: null }], settlements: [] })
  return result
}
const charge = async (usage: Usage, taking: QuotaUnit, limit: number, atMs = NOON) => {
  const [result] = await usage.apply({ requests: [{ unit: taking, limit, chargedAtMs: atMs }], settlements: [] })
  return result
}
const settle = (usage: Usage, settled: QuotaUnit, outcome: RequestOutcome, atMs = NOON) =>
  usage.apply({ requests: [], settlements: [{ unit: settled, outcome, atMs }] })
const usedBy = async (usage: Usage, userId: string, month = NOVEMBER) =>
  (await usage.used([userId], month)).get(userId) ?? 0
const requests = (count: number, request: QuotaRequest) => Array.from({ length: count }, () => request)
const day = (successes: number, cacheHits: number, failures: number, name = '2026-11-20') => ({
  day: name,
  successes,
  cacheHits,
  failures,
})

/** The contract of every implementation of `Usage`. `open` opens a new and empty store. */
export const usageContract = (name: string, open: Open<UsageStore>) => {
  describe(`Metering: ${name}`, () => {
    test('units are counted up to the limit and then rejected', async () => {
      await using store = await open()
      const { usage } = store
      expect(await reserve(usage, unit, 2)).toEqual({ taken: true, used: 1 })
      expect(await reserve(usage, unit, 2)).toEqual({ taken: true, used: 2 })
      expect(await reserve(usage, unit, 2)).toEqual({ taken: false, used: 2 })
      expect(await usedBy(usage, 'u1')).toBe(2)
    })

    test.each([
      ['a reservation', null],
      ['a charge', NOON],
    ])('a limit of zero rejects %s', async (_, chargedAtMs) => {
      await using store = await open()
      const taken = await store.usage.apply({ requests: [{ unit, limit: 0, chargedAtMs }], settlements: [] })
      expect(taken).toEqual([{ taken: false, used: 0 }])
      expect(await store.usage.days('u1', null, '2026-11-01')).toEqual([])
    })

    test('a limit below the current usage rejects and changes nothing', async () => {
      await using store = await open()
      for (let i = 0; i < 5; i++) await reserve(store.usage, unit, 10)
      expect(await reserve(store.usage, unit, 3)).toEqual({ taken: false, used: 5 })
    })

    test('all keys of a user share a month; months are counted separately', async () => {
      await using store = await open()
      const { usage } = store
      await reserve(usage, unit, 2)
      expect(await reserve(usage, { ...unit, keyId: 'k2' }, 2)).toEqual({ taken: true, used: 2 })
      expect(await reserve(usage, { ...unit, month: '2026-12' }, 2)).toEqual({ taken: true, used: 1 })
    })

    test('a charge takes a unit and counts the response and the last use atomically', async () => {
      await using store = await open()
      const { usage } = store
      expect(await charge(usage, unit, 5)).toEqual({ taken: true, used: 1 })
      expect(await usage.days('u1', 'k1', '2026-11-01')).toEqual([day(1, 1, 0)])
      expect(await usage.keysOf(['u1'], NOVEMBER)).toEqual(new Map([['k1', { successes: 1, lastUsedAtMs: NOON }]]))
    })

    test.each([
      ['fetched', 1, [day(1, 0, 0)]],
      ['cached', 1, [day(1, 1, 0)]],
      ['failed', 0, [day(0, 0, 1)]],
      ['abandoned', 0, []],
    ] as const)('a request with the outcome %s leaves %d units taken', async (outcome, used, days) => {
      await using store = await open()
      const { usage } = store
      await reserve(usage, unit, 5)
      await settle(usage, unit, outcome)
      expect(await usedBy(usage, 'u1')).toBe(used)
      expect(await usage.months('u1')).toEqual(used === 0 ? [] : [{ month: NOVEMBER, used }])
      expect(await usage.days('u1', 'k1', '2026-11-01')).toEqual([...days])
      expect((await usage.keysOf(['u1'], NOVEMBER)).get('k1')?.lastUsedAtMs).toBe(NOON)
    })

    test('a unit is released in the month in which it was taken', async () => {
      await using store = await open()
      const { usage } = store
      await reserve(usage, unit, 5)
      await reserve(usage, { ...unit, month: '2026-12' }, 5)
      await settle(usage, unit, 'failed', Date.UTC(2026, 11, 1))
      expect([await usedBy(usage, 'u1'), await usedBy(usage, 'u1', '2026-12')]).toEqual([0, 1])
    })

    test('settling a request of a deleted account changes nothing', async () => {
      await using store = await open()
      const { usage } = store
      await reserve(usage, unit, 5)
      await reserve(usage, playground, 5)
      await usage.archive('u1', [], NOVEMBER)
      await settle(usage, unit, 'fetched')
      await settle(usage, playground, 'failed')
      expect(await usage.days('u1', null, '2026-11-01')).toEqual([])
      expect(await usage.months('u1')).toEqual([])
    })
  })

  describe(`Metering of batches: ${name}`, () => {
    test('an empty batch changes nothing', async () => {
      await using store = await open()
      expect(await store.usage.apply({ requests: [], settlements: [] })).toEqual([])
    })

    test('each request has its own result, in the order of the batch', async () => {
      await using store = await open()
      const batch = requests(3, { unit, limit: 5, chargedAtMs: NOON })
      const results = await store.usage.apply({ requests: batch.map((one) => ({ ...one })), settlements: [] })
      expect(results.map(({ used }) => used)).toEqual([1, 2, 3])
    })

    test('the first requests get the remaining units of the month', async () => {
      await using store = await open()
      const { usage } = store
      for (let i = 0; i < 3; i++) await reserve(usage, unit, 5)
      const batch = ['k1', 'k2', 'k3', 'k4'].map((keyId) => ({ unit: { ...unit, keyId }, limit: 5, chargedAtMs: NOON }))
      expect(await usage.apply({ requests: batch, settlements: [] })).toEqual([
        { taken: true, used: 4 },
        { taken: true, used: 5 },
        { taken: false, used: 5 },
        { taken: false, used: 5 },
      ])
      expect([...(await usage.keysOf(['u1'], NOVEMBER)).keys()].toSorted()).toEqual(['k1', 'k2'])
      expect(await usage.days('u1', null, '2026-11-01')).toEqual([day(2, 2, 0)])
    })

    test('users, months and limits in one batch are independent', async () => {
      await using store = await open()
      const { usage } = store
      const of = (userId: string, limit: number, month = NOVEMBER): QuotaRequest => ({
        unit: { userId, keyId: `key of ${userId}`, month },
        limit,
        chargedAtMs: NOON,
      })
      const batch = [of('a', 1), of('b', 0), of('a', 1), of('a', 3), of('a', 1, '2026-12'), of('b', 2)]
      expect(await usage.apply({ requests: batch, settlements: [] })).toEqual([
        { taken: true, used: 1 },
        { taken: false, used: 0 },
        { taken: false, used: 1 },
        { taken: true, used: 2 },
        { taken: true, used: 1 },
        { taken: true, used: 1 },
      ])
    })

    test('released units are available to requests of the same batch', async () => {
      await using store = await open()
      const { usage } = store
      await reserve(usage, unit, 1)
      const results = await usage.apply({
        requests: [{ unit, limit: 1, chargedAtMs: NOON }],
        settlements: [{ unit, outcome: 'failed', atMs: NOON }],
      })
      expect(results).toEqual([{ taken: true, used: 1 }])
      expect(await usage.days('u1', 'k1', '2026-11-01')).toEqual([day(1, 1, 1)])
    })

    test('one batch of several users, keys, days, months and limits is counted for each', async () => {
      await using store = await open()
      const { usage } = store
      const ofUser = (userId: string, keyId: string, limit: number, atMs = NOON, month = NOVEMBER) =>
        ({ unit: { userId, keyId, month }, limit, chargedAtMs: atMs }) as const
      const results = await usage.apply({
        requests: [
          ofUser('u1', 'k1', 9, NOON - DAY_MS),
          ofUser('u2', 'k1', 9),
          ofUser('u1', 'k2', 9),
          ofUser('u1', 'k1', 9),
          ofUser('u1', 'k1', 8),
          ofUser('u1', 'k1', 9, NOON, '2026-12'),
          ofUser('u1', 'k1', 9, NOON - DAY_MS),
        ],
        settlements: [],
      })
      expect(results.map((result) => result.taken)).toEqual(Array.from({ length: 7 }, () => true))
      expect(await usage.used(['u1', 'u2'], NOVEMBER)).toEqual(
        new Map([
          ['u1', 5],
          ['u2', 1],
        ]),
      )
      expect(await usedBy(usage, 'u1', '2026-12')).toBe(1)
      expect(await usage.days('u1', 'k1', '2026-11-01')).toEqual([day(2, 2, 0, '2026-11-19'), day(3, 3, 0)])
      expect(await usage.days('u1', 'k2', '2026-11-01')).toEqual([day(1, 1, 0)])
      expect(await usage.days('u2', 'k1', '2026-11-01')).toEqual([day(1, 1, 0)])
    })

    test('settlements of a deleted user do not affect others', async () => {
      await using store = await open()
      const { usage } = store
      const other = { ...unit, userId: 'u2' }
      await reserve(usage, unit, 5)
      await reserve(usage, other, 5)
      await usage.archive('u1', [], NOVEMBER)
      const settlements = [unit, other].map((settled) => ({ unit: settled, outcome: 'failed', atMs: NOON }) as const)
      await usage.apply({ requests: [], settlements })
      expect(await usage.days('u1', null, '2026-11-01')).toEqual([])
      expect(await usage.days('u2', null, '2026-11-01')).toEqual([day(0, 0, 1)])
    })

    test('a batch does the same as its settlements and requests one after the other', async () => {
      await using store = await open()
      const { usage } = store
      const random = randomOf(7)
      const [users, months, keyIds] = [
        ['1', '2', '3'],
        [NOVEMBER, '2026-12'],
        ['k1', 'k2', null],
      ]
      const alone = <Of extends { unit: QuotaUnit }>(one: Of): Of => ({
        ...one,
        unit: { ...one.unit, userId: `${one.unit.userId} alone` },
      })
      const lastUses = (ofKeys: (userId: string) => string) =>
        Promise.all(users.map(async (id) => await usage.keysOf([ofKeys(id)], NOVEMBER)))
      const reserved: QuotaUnit[] = []
      for (let n = 0; n < randomRuns(60); n++) {
        // Later than in the last batch, and in any order.
        const time = () => NOON + 10 * n - random.below(10) - random.mostly(0, [DAY_MS])
        const settlements = Array.from({ length: random.below(reserved.length + 1) }, (): Settlement => {
          const [settled] = reserved.splice(random.below(reserved.length), 1)
          const outcome = random.of<RequestOutcome>(['fetched', 'cached', 'failed', 'abandoned'])
          return { unit: settled!, outcome, atMs: time() }
        })
        const batch = Array.from({ length: random.below(8) }, (): QuotaRequest => ({
          unit: { userId: random.of(users), keyId: random.of(keyIds), month: random.of(months) },
          limit: random.mostly(n, [0, 1, n + 3]),
          chargedAtMs: random.of([null, time()]),
        }))
        const results = await usage.apply({ requests: batch, settlements })
        for (const one of settlements) await usage.apply({ requests: [], settlements: [alone(one)] })
        const expected: QuotaResult[] = []
        for (const one of batch) expected.push(...(await usage.apply({ requests: [alone(one)], settlements: [] })))
        expect(results).toEqual(expected)
        expect(await lastUses((id) => id)).toEqual(await lastUses((id) => `${id} alone`))
        const taken = batch.filter(({ chargedAtMs }, index) => results[index]!.taken && chargedAtMs === null)
        reserved.push(...taken.map((request) => request.unit))
      }
      for (const id of users) {
        const [together, apart] = await Promise.all(
          [id, `${id} alone`].map(async (userId) => [
            await usage.months(userId),
            await Promise.all(['k1', 'k2', PLAYGROUND_KEY_ID].map((key) => usage.days(userId, key, '2026-11-01'))),
          ]),
        )
        expect(together).toEqual(apart!)
      }
    })

    test('600 requests in one batch, or 600 concurrent batches, take exactly the limit of 100', async () => {
      await using store = await open()
      const { usage } = store
      const together = await usage.apply({
        requests: requests(600, { unit, limit: 100, chargedAtMs: null }),
        settlements: [],
      })
      expect(together.filter(({ taken }) => taken)).toHaveLength(100)
      const other = { ...unit, userId: 'u2' }
      const apart = await Promise.all(Array.from({ length: 600 }, () => charge(usage, other, 100)))
      expect(apart.filter((result) => result?.taken)).toHaveLength(100)
      expect(await usage.used(['u1', 'u2', 'u3'], NOVEMBER)).toEqual(
        new Map([
          ['u1', 100],
          ['u2', 100],
        ]),
      )
    })
  })

  describe(`UsageHistory: ${name}`, () => {
    test('days of a key are listed oldest first, from the given day', async () => {
      await using store = await open()
      const { usage } = store
      for (const atMs of [NOON, NOON - DAY_MS, NOON - 2 * DAY_MS]) await charge(usage, unit, 9, atMs)
      await reserve(usage, { ...unit, keyId: 'k2' }, 9)
      await settle(usage, { ...unit, keyId: 'k2' }, 'failed')
      expect(await usage.days('u1', 'k1', '2026-11-19')).toEqual([day(1, 1, 0, '2026-11-19'), day(1, 1, 0)])
      expect(await usage.days('u1', 'k2', '2026-11-19')).toEqual([day(0, 0, 1)])
      expect(await usage.days('u2', 'k1', '2026-11-19')).toEqual([])
    })

    test('added failures are counted on their day, also without other usage, and not charged', async () => {
      await using store = await open()
      const { usage } = store
      await charge(usage, unit, 9)
      const rowOf = (keyId: string, count: number, lastAtMs: number) => {
        return { keyId, userId: 'u1', count, firstAtMs: lastAtMs, lastAtMs }
      }
      await usage.addFailures([])
      await usage.addFailures([rowOf('k1', 3, NOON + 5), rowOf('k2', 1, NOON - DAY_MS)])
      await usage.addFailures([rowOf('k1', 4, NOON + 2)])
      expect(await usage.days('u1', 'k1', '2026-11-01')).toEqual([day(1, 1, 7)])
      expect(await usage.days('u1', 'k2', '2026-11-01')).toEqual([day(0, 0, 1, '2026-11-19')])
      expect(await usedBy(usage, 'u1')).toBe(1)
      const used = await usage.keysOf(['u1'], NOVEMBER)
      // Rejected requests do not count as a use of the key.
      expect(used.get('k1')).toEqual({ successes: 1, lastUsedAtMs: NOON })
      expect(used.get('k2')).toEqual({ successes: 0, lastUsedAtMs: null })
    })

    test('the playground shares the month and has separate days', async () => {
      await using store = await open()
      const { usage } = store
      await reserve(usage, playground, 3)
      await settle(usage, playground, 'fetched')
      await charge(usage, unit, 3)
      expect(await usedBy(usage, 'u1')).toBe(2)
      expect(await usage.days('u1', 'k1', '2026-11-01')).toEqual([day(1, 1, 0)])
      expect(await usage.days('u1', null, '2026-11-01')).toEqual([day(2, 1, 0)])
      expect(await usage.days('u1', PLAYGROUND_KEY_ID, '2026-11-01')).toEqual([day(1, 0, 0)])
      expect([...(await usage.keysOf(['u1'], NOVEMBER)).keys()]).toEqual(['k1'])
    })

    test('keys of several users are listed with their responses in the month and last use', async () => {
      await using store = await open()
      const { usage } = store
      await charge(usage, unit, 9, Date.UTC(2026, 10, 1))
      await charge(usage, unit, 9, NOON)
      await charge(usage, unit, 9, Date.UTC(2026, 9, 31))
      await charge(usage, { ...unit, keyId: 'k2' }, 9, Date.UTC(2026, 11, 1))
      await charge(usage, { ...unit, userId: 'u2', keyId: 'k3' }, 9)
      await charge(usage, { ...unit, userId: 'u3', keyId: 'k4' }, 9)
      expect(await usage.keysOf(['u1', 'u2', 'unknown'], NOVEMBER)).toEqual(
        new Map([
          ['k1', { successes: 2, lastUsedAtMs: NOON }],
          ['k2', { successes: 0, lastUsedAtMs: Date.UTC(2026, 11, 1) }],
          ['k3', { successes: 1, lastUsedAtMs: NOON }],
        ]),
      )
    })

    test('usage of 100,000 users can be read in one call', async () => {
      await using store = await open()
      await reserve(store.usage, unit, 1)
      const ids = Array.from({ length: 100_000 }, (_, i) => `u${i}`)
      expect(await store.usage.used(ids, NOVEMBER)).toEqual(new Map([['u1', 1]]))
    })

    test('months are listed oldest first', async () => {
      await using store = await open()
      const { usage } = store
      await reserve(usage, { ...unit, month: '2026-12' }, 5)
      await reserve(usage, unit, 5)
      expect(await usage.months('u1')).toEqual([
        { month: NOVEMBER, used: 1 },
        { month: '2026-12', used: 1 },
      ])
    })
  })

  describe(`DeletedAccountUsage: ${name}`, () => {
    const use = (usage: Usage, userId: string, times: number) =>
      usage.apply({
        requests: requests(times, { unit: { ...unit, userId }, limit: 99, chargedAtMs: NOON }),
        settlements: [],
      })

    test('archive deletes all usage of the user and none of others', async () => {
      await using store = await open()
      const { usage } = store
      await use(usage, 'u1', 2)
      await use(usage, 'u2', 1)
      await usage.archive('u1', ['hash'], NOVEMBER)
      expect([await usage.months('u1'), await usage.days('u1', null, '2026-11-01')]).toEqual([[], []])
      expect((await usage.keysOf(['u1'], NOVEMBER)).size).toBe(0)
      expect(await usedBy(usage, 'u2')).toBe(1)
    })

    test('keep deletes no usage; later usage is stored by archive', async () => {
      await using store = await open()
      const { usage } = store
      await use(usage, 'u1', 2)
      await usage.keep('u1', ['a'], NOVEMBER)
      await use(usage, 'u1', 1)
      expect(await usedBy(usage, 'u1')).toBe(3)
      for (const used of [2, 3]) {
        await usage.restore('u2', ['a'], NOVEMBER)
        expect(await usedBy(usage, 'u2')).toBe(used)
        await usage.archive('u1', ['a'], NOVEMBER)
      }
    })

    test.each([
      ['any of the hashes', ['unknown', 'b'], NOVEMBER, 3],
      ['none of them', ['unknown'], NOVEMBER, 0],
      ['one of them, in another month', ['b'], '2026-12', 0],
    ])('usage is restored under %s', async (_, hashes, month, used) => {
      await using store = await open()
      const { usage } = store
      await use(usage, 'u1', 3)
      await usage.archive('u1', ['a', 'b'], NOVEMBER)
      await usage.restore('u2', hashes, month)
      expect(await usedBy(usage, 'u2', month)).toBe(used)
    })

    test('stored usage is never added twice, and never reduces newer usage', async () => {
      await using store = await open()
      const { usage } = store
      await use(usage, 'u1', 3)
      await usage.archive('u1', ['a'], NOVEMBER)
      await use(usage, 'u2', 1)
      for (const _ of [1, 2]) await usage.restore('u2', ['a'], NOVEMBER)
      expect(await usedBy(usage, 'u2')).toBe(3)
      await use(usage, 'u2', 2)
      await usage.restore('u2', ['a'], NOVEMBER)
      expect(await usedBy(usage, 'u2')).toBe(5)
    })

    test('of two deleted accounts with the same hash, the larger usage is stored', async () => {
      await using store = await open()
      const { usage } = store
      for (const [userId, times] of [
        ['u1', 5],
        ['u2', 2],
      ] as const) {
        await use(usage, userId, times)
        await usage.archive(userId, ['a'], NOVEMBER)
      }
      await usage.restore('u3', ['a'], NOVEMBER)
      expect(await usedBy(usage, 'u3')).toBe(5)
    })

    test('the total of a day includes all users, with and without keys', async () => {
      await using store = await open()
      const { usage } = store
      await charge(usage, unit, 10)
      await charge(usage, { ...playground, userId: 'u2' }, 10)
      await charge(usage, unit, 10, NOON + DAY_MS)
      await reserve(usage, unit, 10)
      await settle(usage, unit, 'failed')
      expect(await usage.total('2026-11-20')).toEqual(day(2, 2, 1))
      expect(await usage.total('2026-11-21')).toEqual(day(1, 1, 0, '2026-11-21'))
      expect(await usage.total('2026-11-22')).toEqual(day(0, 0, 0, '2026-11-22'))
    })

    test('stored usage is deleted after its month', async () => {
      await using store = await open()
      const { usage } = store
      await use(usage, 'u1', 1)
      await usage.archive('u1', ['a', 'b'], NOVEMBER)
      expect([await usage.sweep(NOVEMBER), await usage.sweep('2026-12')]).toEqual([0, 2])
      await usage.restore('u2', ['a'], NOVEMBER)
      expect(await usedBy(usage, 'u2')).toBe(0)
    })
  })
}
