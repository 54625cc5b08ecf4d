import { describe, expect, test } from 'bun:test'

import type { SharedResult } from '../../src/core/saved-results/ports.ts'
import type { Stores } from '../../src/compose/stores.ts'
import { addUsers, type Open } from './open.ts'

type SharedStores = Pick<Stores, 'users' | 'sharedResults'>

const resultOf = (id: string, more: Partial<SharedResult> = {}): SharedResult => ({
  id,
  userId: 'u1',
  url: 'https://example.com/a?b',
  createdAtMs: 1_000,
  expiresAtMs: 9_000,
  ...more,
})

const stored = (result: SharedResult) => ({ ...result, tokenHash: `hash of ${result.id}`, json: '{"title":"ключ"}' })

async function withUsers(stores: SharedStores) {
  await addUsers(stores)
  return stores.sharedResults
}

/** The contract of every implementation of `SharedResults`. */
export const sharedResultsContract = (name: string, open: Open<SharedStores>) =>
  describe(`SharedResults: ${name}`, () => {
    test('a result is found by its hash, and listed without its text', async () => {
      await using stores = await open()
      const shared = await withUsers(stores)
      const result = resultOf('r1')
      expect(await shared.share(stored(result), 2)).toBe(true)
      expect(await shared.share(stored(resultOf('r2', { createdAtMs: 2_000 })), 2)).toBe(true)
      expect(await shared.find('hash of r1', 2_000)).toEqual({ ...result, json: '{"title":"ключ"}' })
      expect(await shared.find('r1', 2_000)).toBeNull()
      expect(await shared.list('u1', 2_000)).toEqual([resultOf('r2', { createdAtMs: 2_000 }), result])
      expect(await shared.list('u2', 2_000)).toEqual([])
    })

    test.each([
      ['one millisecond before its expiry', 8_999, true],
      ['at its expiry', 9_000, false],
    ])('%s', async (_, nowMs, isOpen) => {
      await using stores = await open()
      const shared = await withUsers(stores)
      await shared.share(stored(resultOf('r1')), 1)
      expect((await shared.find('hash of r1', nowMs)) !== null).toBe(isOpen)
      expect((await shared.list('u1', nowMs)).length === 1).toBe(isOpen)
    })

    test('a user has at most the maximum, without expired ones and those of others', async () => {
      await using stores = await open()
      const shared = await withUsers(stores)
      await shared.share(stored(resultOf('expired', { expiresAtMs: 2_000 })), 2)
      await shared.share(stored(resultOf('of another', { userId: 'u2' })), 2)
      const share = (id: string) => shared.share(stored(resultOf(id, { createdAtMs: 2_000 })), 2)
      const done = await Promise.all(['r1', 'r2', 'r3', 'r4', 'r5'].map(share))
      expect(done.filter(Boolean)).toHaveLength(2)
      expect(await shared.list('u1', 2_000)).toHaveLength(2)
    })

    test('stop deletes a result of the user only', async () => {
      await using stores = await open()
      const shared = await withUsers(stores)
      await shared.share(stored(resultOf('r1')), 1)
      expect(await shared.stop('u2', 'r1')).toBe(false)
      expect(await shared.find('hash of r1', 2_000)).not.toBeNull()
      expect([await shared.stop('u1', 'r1'), await shared.stop('u1', 'r1')]).toEqual([true, false])
      expect(await shared.find('hash of r1', 2_000)).toBeNull()
      expect(await shared.share(stored(resultOf('r2')), 1)).toBe(true)
    })

    test('the results of a suspended user are not found, and those of a deleted one are gone', async () => {
      await using stores = await open()
      const shared = await withUsers(stores)
      await shared.share(stored(resultOf('r1')), 1)
      await stores.users.suspend('u1', 2_000)
      expect(await shared.find('hash of r1', 3_000)).toBeNull()
      await stores.users.resume('u1')
      expect(await shared.find('hash of r1', 3_000)).not.toBeNull()
      await stores.users.remove('u1')
      expect([await shared.find('hash of r1', 3_000), await shared.sweep(9_000)]).toEqual([null, 0])
    })

    test('sweep deletes only expired results', async () => {
      await using stores = await open()
      const shared = await withUsers(stores)
      await shared.share(stored(resultOf('r1')), 2)
      await shared.share(stored(resultOf('r2', { expiresAtMs: 9_001 })), 2)
      expect(await shared.sweep(9_000)).toBe(1)
      expect(await shared.find('hash of r2', 9_000)).not.toBeNull()
    })
  })
