import { describe, expect, test } from 'bun:test'

import { UNRESTRICTED } from '../../src/core/accounts/key-settings.ts'
import type { KeyOwner, KeyReads, KeyWrites, UserReads, UserWrites } from '../../src/core/accounts/ports.ts'
import { cacheKeyOwners } from '../../src/store/sqlite/key-owner-cache.ts'
import { openTemporary } from './temporary-sqlite.ts'
import { NO_OWN_LIMITS } from '../own-limits.ts'

/** A cache over a store that counts its lookups. `endTurn` ends a turn of the event loop. */
function setUp() {
  const owner: KeyOwner = {
    keyId: 'k1',
    userId: 'u1',
    plan: 'free',
    logsUrls: false,
    ...NO_OWN_LIMITS,
    ...UNRESTRICTED,
    allowedRanges: [],
    deactivatedAtMs: null,
    replacedById: null,
    deletedAtMs: null,
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
  const cache = cacheKeyOwners({
    async read() {
      state.lookups++
      const found = state.owner
      await state.returned
      return found
    },
    dataVersion: () => (state.versionChecks++, state.version),
    endOfTurn: (run) => void ends.push(run),
  })
  const endTurn = () => {
    for (const end of ends) end()
    ends = []
  }
  const keys = cache.invalidating({ deactivate: async () => void (state.owner = null) })
  return { cache, keys, state, endTurn, owner }
}

test('a key is looked up once, and the data version once in each turn', async () => {
  const { cache, state, endTurn, owner } = setUp()
  for (let turn = 0; turn < 3; turn++) {
    for (let i = 0; i < 5; i++) expect(await cache.find('h')).toEqual(owner)
    endTurn()
  }
  expect(state).toMatchObject({ lookups: 1, versionChecks: 3 })
})

test('a commit of another connection clears the cache in the next turn', async () => {
  const { cache, state, endTurn } = setUp()
  await cache.find('h')
  state.owner = null
  state.version = 2
  endTurn()
  expect(await cache.find('h')).toBeNull()
})

test('a write of this connection clears the cache in the same turn', async () => {
  const { cache, keys } = setUp()
  await cache.find('h')
  await keys.deactivate()
  expect(await cache.find('h')).toBeNull()
})

test('a failed write also clears the cache', async () => {
  const { cache, state } = setUp()
  const users = cache.invalidating({ suspend: () => Promise.reject(new Error('locked')) })
  await cache.find('h')
  await users.suspend().catch(() => null)
  await cache.find('h')
  expect(state.lookups).toBe(2)
})

test('an unknown key is not cached', async () => {
  const { cache, state, owner } = setUp()
  state.owner = null
  expect(await cache.find('h')).toBeNull()
  state.owner = owner
  expect(await cache.find('h')).toEqual(owner)
})

test('a lookup that began before a change, and ends after it, is not cached', async () => {
  const { cache, keys, state, owner } = setUp()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.returned = promise
  const found = cache.find('h')
  await keys.deactivate()
  resolve()
  expect(await found).toEqual(owner)
  expect(await cache.find('h')).toBeNull()
  expect(state.lookups).toBe(2)
})

describe('in SQLite, reads keep the owner of a key, and writes clear it:', () => {
  const USER = { id: 'u1', email: 'jo@example.com', plan: 'free' as const, createdAtMs: 0 }
  const newKey = (id: string) => ({
    ...UNRESTRICTED,
    id,
    userId: USER.id,
    name: id,
    hash: id,
    lastFour: '0000',
    createdAtMs: 1,
  })

  type Stores = Pick<ReturnType<typeof openTemporary>, 'keys' | 'users'>
  /** A call of each method. */
  type Calls<Store> = Record<keyof Store, (stores: Stores) => unknown>

  const KEY_READS: Calls<KeyReads & Pick<KeyWrites, 'countRejected'>> = {
    findOwner: ({ keys }) => keys.findOwner('k1'),
    isOriginAllowed: ({ keys }) => keys.isOriginAllowed('https://a.test', 1),
    list: ({ keys }) => keys.list(),
    listOf: ({ keys }) => keys.listOf(USER.id, 1),
    find: ({ keys }) => keys.find('k1'),
    findOf: ({ keys }) => keys.findOf(USER.id, 'k1'),
    listRejected: ({ keys }) => keys.listRejected(USER.id, { sinceMs: 1, replacedSinceMs: 1, limit: 9 }),
    // A write, which changes no property of the owner.
    countRejected: ({ keys }) => {
      return keys.countRejected([{ keyId: 'k1', userId: USER.id, count: 1, firstAtMs: 1, lastAtMs: 1 }])
    },
  }
  const USER_READS: Calls<UserReads> = {
    find: ({ users }) => users.find(USER.id),
    findByEmail: ({ users }) => users.findByEmail(USER.email),
    list: ({ users }) => users.list(),
    search: ({ users }) =>
      users.search({ text: '', plan: null, isSuspended: null, offset: 0, limit: 1, maxTotal: 1, nowMs: 1 }),
    matching: ({ users }) => users.matching({ text: '', plan: null, isSuspended: null }),
    listed: ({ users }) => users.listed([USER.id], 1),
  }
  const KEY_WRITES: Calls<Omit<KeyWrites, 'countRejected'>> = {
    create: ({ keys }) => keys.create(newKey('k2'), 9),
    rotate: ({ keys }) => keys.rotate('k1', newKey('k2'), 9),
    update: ({ keys }) => keys.update(USER.id, 'k1', { name: 'b' }, 1),
    deactivate: ({ keys }) => keys.deactivate(USER.id, 'k1', 1),
    sweep: ({ keys }) => keys.sweep(1),
  }
  const USER_WRITES: Calls<UserWrites> = {
    ensure: ({ users }) => users.ensure(USER),
    setPlan: ({ users }) => users.setPlan(USER.email, { plan: 'growth' }),
    suspend: ({ users }) => users.suspend(USER.id, 1),
    resume: ({ users }) => users.resume(USER.id),
    setLogsUrls: ({ users }) => users.setLogsUrls(USER.id, true),
    remove: ({ users }) => users.remove(USER.id),
  }
  const casesOf = (store: keyof Stores, calls: Record<string, (stores: Stores) => unknown>, isCached: boolean) =>
    Object.entries(calls).map(([name, call]) => [`${store}.${name}`, call, isCached] as const)

  test.each([
    ...casesOf('keys', KEY_READS, true),
    ...casesOf('users', USER_READS, true),
    ...casesOf('keys', KEY_WRITES, false),
    ...casesOf('users', USER_WRITES, false),
  ])('%s', async (_, call, isCached) => {
    using stores = openTemporary({ maxResults: 1 })
    await stores.users.ensure(USER)
    await stores.keys.create(newKey('k1'), 9)
    await stores.keys.findOwner('k1')
    await call(stores)
    // A cached owner is returned without a promise.
    expect(stores.keys.findOwner('k1') instanceof Promise).toBe(!isCached)
  })
})
