import { describe, expect, test } from 'bun:test'

import type { Slot, Usage } from '../../src/core/usage-ports.ts'
import type { AccountStores } from './accounts-contract.ts'

export interface UsageStores extends AccountStores {
  usage: Usage
}

const slot: Slot = { userId: 'u1', keyId: 'k1', month: '2026-11' }
const NOON = Date.UTC(2026, 10, 20, 12)

async function withKey(stores: UsageStores) {
  await stores.users.ensure({ id: 'u1', email: 'jo@example.com', plan: 'free', createdAtMs: 0 })
  await stores.keys.create({ id: 'k1', userId: 'u1', name: 'k', hash: 'h1', lastFour: '0001', createdAtMs: 0 }, 9)
  await stores.keys.create({ id: 'k2', userId: 'u1', name: 'k', hash: 'h2', lastFour: '0002', createdAtMs: 0 }, 9)
  return stores.usage
}

/** What every adapter of `Usage` must do. */
export const usageContract = (name: string, open: () => UsageStores) =>
  describe(`Usage: ${name}`, () => {
    test('slots are counted up to the limit and refused from there', async () => {
      using stores = open()
      const usage = await withKey(stores)
      expect(await usage.reserve(slot, 2)).toEqual({ reserved: true, used: 1 })
      expect(await usage.reserve(slot, 2)).toEqual({ reserved: true, used: 2 })
      expect(await usage.reserve(slot, 2)).toEqual({ reserved: false, used: 2 })
      expect(await usage.used('u1', '2026-11')).toBe(2)
    })

    test('a limit of zero lets nobody in', async () => {
      using stores = open()
      expect(await (await withKey(stores)).reserve(slot, 0)).toEqual({ reserved: false, used: 0 })
    })

    test('a limit below what is used already refuses and changes nothing', async () => {
      using stores = open()
      const usage = await withKey(stores)
      for (let i = 0; i < 5; i++) await usage.reserve(slot, 10)
      expect(await usage.reserve(slot, 3)).toEqual({ reserved: false, used: 5 })
    })

    test('all keys of a user share the month; another month is another count', async () => {
      using stores = open()
      const usage = await withKey(stores)
      await usage.reserve(slot, 2)
      expect(await usage.reserve({ ...slot, keyId: 'k2' }, 2)).toEqual({ reserved: true, used: 2 })
      expect(await usage.reserve({ ...slot, month: '2026-12' }, 2)).toEqual({ reserved: true, used: 1 })
    })

    test('a burst takes exactly the limit', async () => {
      using stores = open()
      const usage = await withKey(stores)
      const taken = await Promise.all(Array.from({ length: 40 }, () => usage.reserve(slot, 5)))
      expect(taken.filter(({ reserved }) => reserved)).toHaveLength(5)
      expect(await usage.used('u1', '2026-11')).toBe(5)
    })

    test.each([
      ['answered_fresh', 1, [{ day: '2026-11-20', answers: 1, cacheHits: 0, failures: 0 }]],
      ['answered_from_cache', 1, [{ day: '2026-11-20', answers: 1, cacheHits: 1, failures: 0 }]],
      ['failed', 0, [{ day: '2026-11-20', answers: 0, cacheHits: 0, failures: 1 }]],
      ['abandoned', 0, []],
    ] as const)('a request that ended as %s leaves %d slot taken', async (ending, used, daily) => {
      using stores = open()
      const usage = await withKey(stores)
      await usage.reserve(slot, 5)
      await usage.settle(slot, ending, NOON)
      expect(await usage.used('u1', '2026-11')).toBe(used)
      expect(await usage.daily('k1', '2026-11-01')).toEqual([...daily])
      expect((await stores.keys.list()).find(({ id }) => id === 'k1')!.lastUsedAtMs).toBe(NOON)
    })

    test('a slot is given back to the month it was taken from', async () => {
      using stores = open()
      const usage = await withKey(stores)
      await usage.reserve(slot, 5)
      await usage.reserve({ ...slot, month: '2026-12' }, 5)
      await usage.settle(slot, 'failed', Date.UTC(2026, 11, 1))
      expect(await usage.used('u1', '2026-11')).toBe(0)
      expect(await usage.used('u1', '2026-12')).toBe(1)
    })

    test('days are summed by key, oldest first, from the asked day on', async () => {
      using stores = open()
      const usage = await withKey(stores)
      const DAY = 86_400_000
      await usage.settle(slot, 'answered_fresh', NOON)
      await usage.settle(slot, 'answered_from_cache', NOON)
      await usage.settle(slot, 'answered_fresh', NOON - DAY)
      await usage.settle(slot, 'answered_fresh', NOON - 2 * DAY)
      await usage.settle({ ...slot, keyId: 'k2' }, 'failed', NOON)
      expect(await usage.daily('k1', '2026-11-19')).toEqual([
        { day: '2026-11-19', answers: 1, cacheHits: 0, failures: 0 },
        { day: '2026-11-20', answers: 2, cacheHits: 1, failures: 0 },
      ])
      expect(await usage.daily('k2', '2026-11-19')).toHaveLength(1)
    })

    test('the playground takes slots of the same month and has days of its own', async () => {
      using stores = open()
      const usage = await withKey(stores)
      const playground: Slot = { ...slot, keyId: null }
      expect(await usage.reserve(playground, 2)).toEqual({ reserved: true, used: 1 })
      await usage.settle(playground, 'answered_fresh', NOON)
      await usage.reserve(playground, 2)
      await usage.settle(playground, 'failed', NOON)
      await usage.reserve(slot, 2)
      await usage.settle(slot, 'answered_from_cache', NOON)
      expect(await usage.used('u1', '2026-11')).toBe(2)
      expect(await usage.daily('k1', '2026-11-01')).toEqual([
        { day: '2026-11-20', answers: 1, cacheHits: 1, failures: 0 },
      ])
      expect(await usage.dailyOfUser('u1', '2026-11-01')).toEqual([
        { day: '2026-11-20', answers: 2, cacheHits: 1, failures: 1 },
      ])
      expect(await usage.dailyOfUser('u2', '2026-11-01')).toEqual([])
    })

    test('the answers of a month are counted for each key', async () => {
      using stores = open()
      const usage = await withKey(stores)
      await usage.settle(slot, 'answered_fresh', NOON)
      await usage.settle(slot, 'answered_from_cache', Date.UTC(2026, 10, 1))
      await usage.settle(slot, 'failed', NOON)
      await usage.settle(slot, 'answered_fresh', Date.UTC(2026, 9, 31))
      const { keys } = await stores.keys.listOf('u1', '2026-11')
      expect(keys.map(({ id, answers }) => [id, answers])).toEqual([
        ['k2', 0],
        ['k1', 2],
      ])
    })

    test('months are listed oldest first', async () => {
      using stores = open()
      const usage = await withKey(stores)
      await usage.reserve({ ...slot, month: '2026-12' }, 5)
      await usage.reserve(slot, 5)
      expect(await usage.months('u1')).toEqual([
        { month: '2026-11', used: 1 },
        { month: '2026-12', used: 1 },
      ])
    })

    test.each([
      ['a key', slot],
      ['the playground', { ...slot, keyId: null }],
    ])('a request of %s that outlives its account is settled into nothing', async (_, outliving) => {
      using stores = open()
      const usage = await withKey(stores)
      await usage.reserve(outliving, 5)
      await stores.users.remove('u1', NOON)
      await usage.settle(outliving, 'answered_fresh', NOON)
      expect(await usage.dailyOfUser('u1', '2026-11-01')).toEqual([])
    })

    test.each([
      ['the same month', NOON + 1, 3],
      ['another month', Date.UTC(2026, 11, 1), 0],
    ])('whoever signs up anew in %s has used %d', async (_, createdAtMs, used) => {
      using stores = open()
      const usage = await withKey(stores)
      for (let i = 0; i < 3; i++) await usage.reserve(slot, 5)
      await stores.users.remove('u1', NOON)
      await stores.users.ensure({ id: 'u9', email: 'jo@example.com', plan: 'free', createdAtMs })
      expect(await usage.used('u9', createdAtMs === NOON + 1 ? '2026-11' : '2026-12')).toBe(used)
      expect(await usage.used('u9', '2026-11')).toBe(used)
    })
  })
