import { expect, test } from 'bun:test'

import { UNRESTRICTED } from '../../src/core/accounts/key-settings.ts'
import type { KeyOwner, Keys } from '../../src/core/accounts/ports.ts'
import { cacheKeyOwners } from '../../src/store/sqlite/key-owner-cache.ts'

/** A cache over a store that counts its lookups. `endTurn` ends a turn of the event loop. */
function setUp() {
  const owner: KeyOwner = {
    keyId: 'k1',
    userId: 'u1',
    plan: 'free',
    logsUrls: false,
    ...UNRESTRICTED,
    allowedRanges: [],
  }
  /** A lookup that has read the owner returns it after `returned`. */
  const state = {
    owner: owner as KeyOwner | null,
    returned: Promise.resolve(),
    version: 1,
    lookups: 0,
    versionChecks: 0,
  }
  let ends: (() => void)[] = []
  const store = {
    async findActive() {
      state.lookups++
      const found = state.owner
      await state.returned
      return found
    },
    list: async () => [],
    deactivate: async () => ((state.owner = null), null),
  } satisfies Partial<Keys>
  const cache = cacheKeyOwners({
    keys: store as Partial<Keys> as Keys,
    dataVersion: () => (state.versionChecks++, state.version),
    endOfTurn: (run) => void ends.push(run),
  })
  const endTurn = () => {
    for (const end of ends) end()
    ends = []
  }
  return { cache, state, endTurn, owner }
}

test('a key is looked up once, and the data version once in each turn', async () => {
  const { cache, state, endTurn, owner } = setUp()
  for (let turn = 0; turn < 3; turn++) {
    for (let i = 0; i < 5; i++) expect(await cache.keys.findActive('h')).toEqual(owner)
    endTurn()
  }
  expect(state).toMatchObject({ lookups: 1, versionChecks: 3 })
})

test('a commit of another connection clears the cache in the next turn', async () => {
  const { cache, state, endTurn } = setUp()
  await cache.keys.findActive('h')
  state.owner = null
  state.version = 2
  endTurn()
  expect(await cache.keys.findActive('h')).toBeNull()
})

test('a write of this connection clears the cache in the same turn', async () => {
  const { cache } = setUp()
  await cache.keys.findActive('h')
  await cache.keys.deactivate('u1', 'k1', 1)
  expect(await cache.keys.findActive('h')).toBeNull()
})

test('a write to another store of this connection, or a failed one, also clears the cache', async () => {
  const { cache, state } = setUp()
  const users = cache.invalidating({ find: async () => null, suspend: () => Promise.reject(new Error('locked')) }, [
    'find',
  ])
  await cache.keys.findActive('h')
  await users.find()
  await cache.keys.list()
  await cache.keys.findActive('h')
  expect(state.lookups).toBe(1)
  await users.suspend().catch(() => null)
  await cache.keys.findActive('h')
  expect(state.lookups).toBe(2)
})

test('an unknown key is not cached', async () => {
  const { cache, state, owner } = setUp()
  state.owner = null
  expect(await cache.keys.findActive('h')).toBeNull()
  state.owner = owner
  expect(await cache.keys.findActive('h')).toEqual(owner)
})

test('a lookup that began before a change, and ends after it, is not cached', async () => {
  const { cache, state, owner } = setUp()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.returned = promise
  const found = cache.keys.findActive('h')
  await cache.keys.deactivate('u1', 'k1', 1)
  resolve()
  expect(await found).toEqual(owner)
  expect(await cache.keys.findActive('h')).toBeNull()
  expect(state.lookups).toBe(2)
})
