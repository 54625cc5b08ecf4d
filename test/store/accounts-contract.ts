import { describe, expect, test } from 'bun:test'

import { UNRESTRICTED } from '../../src/core/accounts/key-settings.ts'
import { formatAddressRange } from '../../src/core/net/address.ts'
import type { OwnLimits } from '../../src/core/plan.ts'
import type { Keys, NewApiKey, NewUser, User, UserFilter, Users } from '../../src/core/accounts/ports.ts'
import type { Open } from './open.ts'
import { NO_OWN_LIMITS } from '../own-limits.ts'

export interface AccountStores {
  users: Users
  keys: Keys
}

const newJo: NewUser = { id: 'u1', email: 'jo@example.com', plan: 'free', createdAtMs: 1_000 }
const newAnn: NewUser = { id: 'u2', email: 'ann@example.com', plan: 'growth', createdAtMs: 2_000 }
const jo: User = { ...newJo, name: null, suspendedAtMs: null, logsUrls: false, ...NO_OWN_LIMITS }
const ann: User = { ...newAnn, name: null, suspendedAtMs: null, logsUrls: false, ...NO_OWN_LIMITS }

/** A search for the first ten of all users. */
export const everybody = { text: '', plan: null, isSuspended: null, offset: 0, limit: 10, maxTotal: 100, nowMs: 7_000 }

const FIRST_PAGE = { offset: 0, limit: 50 }

/** The result of `findOwner` for a key without restrictions, of a user without own limits. */
const { allowedAddresses: _addresses, ...withoutAddresses } = UNRESTRICTED
export const WITHOUT_RESTRICTIONS = {
  ...withoutAddresses,
  ...NO_OWN_LIMITS,
  logsUrls: false,
  allowedRanges: [],
  deactivatedAtMs: null,
  replacedById: null,
  deletedAtMs: null,
}

const keyOf = (user: User, id: string, createdAtMs = 5_000): NewApiKey => ({
  id,
  userId: user.id,
  name: `key ${id}`,
  hash: `hash of ${id}`,
  lastFour: 'beef',
  createdAtMs,
  ...UNRESTRICTED,
})

/** The contract of every implementation of `Users` and `Keys`. */
export const accountsContract = (name: string, open: Open<AccountStores>) =>
  describe(`Users and Keys: ${name}`, () => {
    test('ensure creates a user once and keeps the first one', async () => {
      await using stores = await open()
      expect(await stores.users.ensure(newJo)).toEqual(jo)
      expect(await stores.users.ensure({ ...newJo, id: 'other', plan: 'business', createdAtMs: 9_000 })).toEqual(jo)
      expect(await stores.users.list()).toEqual([jo])
    })

    test('a user is found by address', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      expect(await stores.users.findByEmail(jo.email)).toEqual(jo)
      expect(await stores.users.findByEmail('nobody@example.com')).toBeNull()
    })

    test('users are listed oldest first', async () => {
      await using stores = await open()
      await stores.users.ensure(newAnn)
      await stores.users.ensure(newJo)
      expect(await stores.users.list()).toEqual([jo, ann])
    })

    test('setPlan changes one user; an unknown user is null', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      expect(await stores.users.setPlan(jo.email, { plan: 'starter' })).toEqual({
        user: { ...jo, plan: 'starter' },
        hasChanged: true,
      })
      expect(await stores.users.setPlan(jo.email, { plan: 'starter' })).toMatchObject({ hasChanged: false })
      expect(await stores.users.setPlan('nobody@example.com', { plan: 'starter' })).toBeNull()
      expect(await stores.users.list()).toEqual([{ ...jo, plan: 'starter' }, ann])
    })

    test('setPlan changes own limits, also to 0 and back to null, and reports whether something has changed', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.keys.create(keyOf(jo, 'k1'), 2)
      const steps: [changes: Partial<OwnLimits>, hasChanged: boolean][] = [
        [{ perMinute: 5_000, maxKeys: 0 }, true],
        [{ perMinute: 5_000 }, false],
        [{ perMonth: null }, false],
        [{ perMonth: 1_000_000_000, maxKeys: null }, true],
        [{ perMinute: 5_000, perMonth: null }, true],
        [{ perMinute: null, perMonth: null, maxKeys: null }, true],
        [{ perMinute: null, perMonth: null, maxKeys: null }, false],
      ]
      let own = NO_OWN_LIMITS
      for (const [changes, hasChanged] of steps) {
        own = { ...own, ...changes }
        expect(await stores.users.setPlan(jo.email, changes)).toEqual({ user: { ...jo, ...own }, hasChanged })
        expect(await stores.users.find(jo.id)).toEqual({ ...jo, ...own })
        expect(await stores.keys.findOwner('hash of k1')).toMatchObject(own)
      }
    })

    test('a key is found by its hash, with the current plan of its owner', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.keys.create(keyOf(jo, 'k1'), 2)
      expect(await stores.keys.findOwner('hash of k1')).toEqual({
        keyId: 'k1',
        userId: 'u1',
        plan: 'free',
        ...WITHOUT_RESTRICTIONS,
      })
      await stores.users.setPlan(jo.email, { plan: 'business' })
      expect(await stores.keys.findOwner('hash of k1')).toEqual({
        keyId: 'k1',
        userId: 'u1',
        plan: 'business',
        ...WITHOUT_RESTRICTIONS,
      })
      expect(await stores.keys.findOwner('hash of another')).toBeNull()
    })

    test('an owner holds at most the given number of active keys; deactivated ones do not count', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      expect(await stores.keys.create(keyOf(jo, 'k1'), 2)).toBe('created')
      expect(await stores.keys.create(keyOf(jo, 'k2'), 2)).toBe('created')
      expect(await stores.keys.create(keyOf(jo, 'k3'), 2)).toBe('too_many')
      expect(await stores.keys.findOwner('hash of k3')).toBeNull()
      expect(await stores.keys.create(keyOf(ann, 'k4'), 2)).toBe('created')
      await stores.keys.deactivate('u1', 'k1', 6_000)
      expect(await stores.keys.create(keyOf(jo, 'k5'), 2)).toBe('created')
    })

    test('an id is used for only one key, even at the limit and by another user', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      expect(await stores.keys.create(keyOf(jo, 'k1'), 1)).toBe('created')
      expect(await stores.keys.create({ ...keyOf(jo, 'k1'), hash: 'another' }, 1)).toBe('repeated')
      expect(await stores.keys.create({ ...keyOf(ann, 'k1'), hash: 'another' }, 5)).toBe('repeated')
      expect(await stores.keys.findOwner('another')).toBeNull()
    })

    test('an owner creates at most the given number of keys in a period, including deactivated ones', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      const recent = [{ max: 2, sinceMs: 7_000 }]
      expect(await stores.keys.create(keyOf(jo, 'before', 6_999), 9, recent)).toBe('created')
      expect(await stores.keys.create(keyOf(jo, 'first', 7_000), 9, recent)).toBe('created')
      expect(await stores.keys.create(keyOf(jo, 'second', 8_000), 9, recent)).toBe('created')
      await stores.keys.deactivate('u1', 'second', 8_000)
      expect(await stores.keys.create(keyOf(jo, 'third', 8_000), 9, recent)).toBe('too_many_recent')
      expect(await stores.keys.findOwner('hash of third')).toBeNull()
      expect(await stores.keys.create(keyOf(ann, 'other', 8_000), 9, recent)).toBe('created')
      expect(await stores.keys.create(keyOf(jo, 'third', 8_000), 9, [{ max: 2, sinceMs: 7_001 }])).toBe('created')
    })

    test('concurrent creations never exceed the limit', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) => stores.keys.create(keyOf(jo, `k${i}`), 5)),
      )
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(5)
    })

    test('deactivation is final, and keeps its first time', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.keys.create(keyOf(jo, 'k1'), 2)
      expect(await stores.keys.deactivate('u1', 'k1', 6_000)).toMatchObject({
        key: { id: 'k1', deactivatedAtMs: 6_000 },
        hasChanged: true,
      })
      expect(await stores.keys.findOwner('hash of k1')).toMatchObject({ deactivatedAtMs: 6_000 })
      expect(await stores.keys.deactivate('u1', 'k1', 7_000)).toMatchObject({
        key: { id: 'k1', deactivatedAtMs: 6_000 },
        hasChanged: false,
      })
      expect(await stores.keys.deactivate('u1', 'unknown', 7_000)).toBeNull()
      expect((await stores.keys.list())[0]!.deactivatedAtMs).toBe(6_000)
    })

    test('the keys of others cannot be deactivated', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      await stores.keys.create(keyOf(jo, 'k1'), 2)
      expect(await stores.keys.deactivate('u2', 'k1', 6_000)).toBeNull()
      expect(await stores.keys.findOwner('hash of k1')).not.toBeNull()
      expect(await stores.keys.deactivate('u1', 'k1', 6_000)).not.toBeNull()
    })

    test('the keys of a suspended user are rejected until the suspension is lifted', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.keys.create(keyOf(jo, 'k1'), 2)
      expect(await stores.users.suspend('u1', 6_000)).toBe(true)
      expect(await stores.users.suspend('u1', 7_000)).toBe(false)
      expect(await stores.keys.findOwner('hash of k1')).toBeNull()
      expect(await stores.users.find('u1')).toEqual({ ...jo, suspendedAtMs: 6_000 })
      expect(await stores.users.resume('u1')).toBe(true)
      expect(await stores.users.resume('u1')).toBe(false)
      expect(await stores.keys.findOwner('hash of k1')).not.toBeNull()
      expect(await stores.users.suspend('unknown', 6_000)).toBe(false)
      expect(await stores.users.resume('unknown')).toBe(false)
    })

    test('removing a user removes the keys', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.keys.create(keyOf(jo, 'k1'), 2)
      expect(await stores.users.remove('u1')).toBe(true)
      expect(await stores.users.remove('u1')).toBe(false)
      expect(await stores.keys.findOwner('hash of k1')).toBeNull()
      expect(await stores.users.find('u1')).toBeNull()
      expect(await stores.keys.list()).toEqual([])
    })

    test.each([
      ['all users, newest first', '', ['ann@example.com', 'jo@example.com']],
      ['part of an address in another case', 'JO@', ['jo@example.com']],
      ['a pattern character literally', '%', []],
      ['nobody', 'nobody', []],
      ['users of a plan', { plan: 'growth' }, ['ann@example.com']],
      ['suspended users', { isSuspended: true }, ['ann@example.com']],
      ['users who are not suspended', { isSuspended: false }, ['jo@example.com']],
      ['only users whom all filters match', { text: 'jo', plan: 'free', isSuspended: true }, []],
    ] satisfies [string, string | Partial<UserFilter>, string[]][])('search finds %s', async (_, filter, found) => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      await stores.users.suspend('u2', 6_000)
      const search = { ...everybody, ...(typeof filter === 'string' ? { text: filter } : filter) }
      const { users, total } = await stores.users.search(search)
      expect(users.map(({ email }) => email)).toEqual(found)
      expect(total).toBe(found.length)
      expect(await stores.users.matching(search)).toEqual(users.map(({ id }) => id))
    })

    test('search counts matches up to a maximum', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      expect((await stores.users.search({ ...everybody, maxTotal: 1 })).total).toBe(1)
      expect((await stores.users.search({ ...everybody, text: '@example', maxTotal: 1 })).total).toBe(1)
    })

    test('search gives one page, with active keys', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      await stores.keys.create(keyOf(jo, 'k1'), 5)
      await stores.keys.create(keyOf(jo, 'k2'), 5)
      await stores.keys.deactivate('u1', 'k2', 6_000)
      expect(await stores.users.search({ ...everybody, offset: 1, limit: 1 })).toEqual({
        users: [{ ...jo, activeKeys: 1 }],
        total: 2,
      })
    })

    test('the ids of matching users are newest first; users are listed in the order of given ids', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      await stores.keys.create({ ...keyOf(jo, 'k1'), expiresAtMs: 7_000 }, 5)
      expect(await stores.users.matching(everybody)).toEqual(['u2', 'u1'])
      expect(await stores.users.matching({ ...everybody, text: 'JO@' })).toEqual(['u1'])
      expect(await stores.users.listed(['u1', 'unknown', 'u2'], 6_999)).toEqual([
        { ...jo, activeKeys: 1 },
        { ...ann, activeKeys: 0 },
      ])
      expect(await stores.users.listed(['u1'], 7_000)).toEqual([{ ...jo, activeKeys: 0 }])
    })

    test('the keys of one user are listed with active ones first, the newest of each on top', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      await stores.keys.create(keyOf(jo, 'later', 8_000), 5)
      await stores.keys.create(keyOf(ann, 'other'), 5)
      await stores.keys.create(keyOf(jo, 'sooner', 7_000), 5)
      await stores.keys.create(keyOf(jo, 'dead', 9_000), 5)
      await stores.keys.deactivate('u1', 'dead', 9_500)
      const { keys, total, active } = await stores.keys.listOf('u1', 9_600)
      expect(keys.map(({ id }) => id)).toEqual(['later', 'sooner', 'dead'])
      expect([total, active]).toEqual([3, 2])
      const page = await stores.keys.listOf('u1', 9_600, { offset: 1, limit: 1 })
      expect([page.keys.map(({ id }) => id), page.total, page.active]).toEqual([['sooner'], 3, 2])
    })

    test('a key is found only for its owner', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.keys.create(keyOf(jo, 'k1'), 5)
      expect(await stores.keys.findOf('u1', 'k1')).toMatchObject({ id: 'k1', name: 'key k1' })
      expect(await stores.keys.findOf('u2', 'k1')).toBeNull()
      expect(await stores.keys.findOf('u1', 'unknown')).toBeNull()
    })

    test('an expired key does not count as active, is listed with inactive ones, and cannot be changed', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.keys.create({ ...keyOf(jo, 'k1'), expiresAtMs: 6_000 }, 1)
      expect(await stores.keys.create(keyOf(jo, 'k2', 5_999), 1)).toBe('too_many')
      expect(await stores.keys.create(keyOf(jo, 'k2', 6_000), 1)).toBe('created')
      expect(await stores.keys.findOwner('hash of k1')).toMatchObject({ keyId: 'k1', expiresAtMs: 6_000 })
      const { keys, total, active } = await stores.keys.listOf('u1', 6_000)
      expect([keys.map(({ id }) => id), total, active]).toEqual([['k2', 'k1'], 2, 1])
      expect((await stores.keys.listOf('u1', 5_999)).active).toBe(2)
      expect((await stores.users.search({ ...everybody, nowMs: 6_000 })).users[0]!.activeKeys).toBe(1)
      expect((await stores.users.search({ ...everybody, nowMs: 5_999 })).users[0]!.activeKeys).toBe(2)
      expect(await stores.keys.update('u1', 'k1', { expiresAtMs: null }, 6_000)).toBeNull()
      expect(await stores.keys.update('u1', 'k1', { expiresAtMs: 9_000 }, 5_999)).toMatchObject({ expiresAtMs: 9_000 })
    })

    test('only the owner can change settings, and only the given ones change', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      await stores.keys.create({ ...keyOf(jo, 'k1'), allowedHosts: ['a.example'] }, 5)
      expect(await stores.keys.update('u2', 'k1', { name: 'taken' }, 6_000)).toBeNull()
      expect(await stores.keys.update('u1', 'unknown', { name: 'new' }, 6_000)).toBeNull()
      expect(await stores.keys.update('u1', 'k1', {}, 6_000)).toMatchObject({ name: 'key k1' })
      const changes = { name: 'new', allowedAddresses: ['10.0.0.0/8', '::1'] }
      expect(await stores.keys.update('u1', 'k1', changes, 6_000)).toMatchObject({
        ...changes,
        allowedHosts: ['a.example'],
      })
      const owner = await stores.keys.findOwner('hash of k1')
      expect(owner?.allowedHosts).toEqual(['a.example'])
      expect(owner?.allowedRanges.map(formatAddressRange)).toEqual(['10.0.0.0/8', '::1'])
      await stores.keys.deactivate('u1', 'k1', 7_000)
      expect(await stores.keys.update('u1', 'k1', { name: 'late' }, 8_000)).toBeNull()
      expect(await stores.keys.find('k1')).toMatchObject({ name: 'new' })
      expect(await stores.keys.find('unknown')).toBeNull()
    })

    test('an origin is allowed while a key that works allows it', async () => {
      await using stores = await open()
      const { keys, users } = stores
      await users.ensure(newJo)
      await users.ensure(newAnn)
      const [a, b, c] = ['https://a.example', 'https://b.example', 'https://c.example'] as const
      /** Which of the three are allowed. */
      const allowed = async (nowMs = 6_000) => {
        const answers = await Promise.all([a, b, c].map((origin) => keys.isOriginAllowed(origin, nowMs)))
        return [a, b, c].filter((_, i) => answers[i])
      }
      expect([await allowed(), await keys.isOriginAllowed(null, 6_000)]).toEqual([[], false])
      await keys.create({ ...keyOf(jo, 'k1'), allowedOrigins: [a, b] }, 5)
      expect(await keys.isOriginAllowed(null, 6_000)).toBe(true)
      await keys.create({ ...keyOf(ann, 'k2'), allowedOrigins: [b], expiresAtMs: 9_000 }, 5)
      expect(await allowed()).toEqual([a, b])
      await keys.update('u1', 'k1', { name: 'renamed' }, 6_000)
      expect(await allowed()).toEqual([a, b])
      expect(await keys.update('u2', 'k1', { allowedOrigins: [c] }, 6_000)).toBeNull()
      await keys.update('u1', 'k1', { allowedOrigins: [c] }, 6_000)
      expect(await allowed()).toEqual([b, c])
      expect(await allowed(9_000)).toEqual([c])

      await keys.rotate('k1', { ...keyOf(jo, 'k3', 6_000), allowedOrigins: [c] }, 7_000)
      expect(await allowed(7_000)).toEqual([b, c])
      await users.suspend('u1', 7_000)
      expect(await allowed()).toEqual([b])
      await users.resume('u1')
      expect(await allowed()).toEqual([b, c])
      await keys.deactivate('u1', 'k3', 8_000)
      expect(await allowed(8_000)).toEqual([b])
      await users.remove('u2')
      expect(await allowed(6_000)).toEqual([c])
      await keys.sweep(9_000)
      expect(await allowed(6_000)).toEqual([])
    })

    test('rotation stores a successor and ends the old key, once', async () => {
      // A time of today, which needs more than 32 bits.
      const END_MS = 1_790_000_000_000
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      await stores.keys.create(keyOf(jo, 'k1'), 1)
      expect(await stores.keys.rotate('k1', keyOf(ann, 'k2', 6_000), END_MS)).toBe('inactive')
      const recent = [{ max: 1, sinceMs: 0 }]
      expect(await stores.keys.rotate('k1', keyOf(jo, 'k2', 6_000), END_MS, recent)).toBe('too_many_recent')
      expect(await stores.keys.findOwner('hash of k2')).toBeNull()
      expect(await stores.keys.findOwner('hash of k1')).toMatchObject({ expiresAtMs: null })

      expect(await stores.keys.rotate('k1', keyOf(jo, 'k2', 6_000), END_MS)).toBe('rotated')
      expect(await stores.keys.findOwner('hash of k1')).toMatchObject({ expiresAtMs: END_MS })
      expect(await stores.keys.findOwner('hash of k2')).toMatchObject({ keyId: 'k2', expiresAtMs: null })
      expect(await stores.keys.find('k1')).toMatchObject({ replacedById: 'k2', expiresAtMs: END_MS })
      expect((await stores.keys.listOf('u1', 6_000)).active).toBe(1)
      expect(await stores.keys.create(keyOf(jo, 'k3', 6_000), 1)).toBe('too_many')
      expect(await stores.keys.rotate('k1', keyOf(jo, 'k3', 6_000), END_MS)).toBe('inactive')
      expect(await stores.keys.update('u1', 'k1', { expiresAtMs: null }, 6_000)).toBeNull()
      await stores.keys.deactivate('u1', 'k2', 7_000)
      expect(await stores.keys.rotate('k2', keyOf(jo, 'k3', 8_000), END_MS)).toBe('inactive')
    })

    test('a key that ends at once can be rotated at a limit: the newest other key that has ended makes room', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.users.ensure(newAnn)
      const recent = [{ max: 1, sinceMs: 0 }]
      const keysOf = async (userId: string) =>
        (await stores.keys.listOf(userId, 9_000, FIRST_PAGE)).keys.map(({ id }) => id)
      for (const [id, atMs] of [
        ['working', 1_000],
        ['old', 2_000],
        ['expired', 3_000],
        ['newest', 4_000],
      ] as const)
        await stores.keys.create(keyOf(jo, id, atMs), 9)
      await stores.keys.create(keyOf(ann, 'other', 8_000), 9)
      await stores.keys.deactivate('u2', 'other', 8_000)
      expect(await stores.keys.rotate('newest', keyOf(jo, 'k1', 5_000), 5_001, recent)).toBe('too_many_recent')

      // No other key has ended.
      expect(await stores.keys.rotate('newest', keyOf(jo, 'k1', 5_000), 5_000, recent)).toBe('rotated')
      expect(await keysOf('u1')).toEqual(['k1', 'expired', 'old', 'working', 'newest'])
      await stores.keys.deactivate('u1', 'old', 6_000)
      await stores.keys.update('u1', 'expired', { expiresAtMs: 6_000 }, 5_000)
      expect(await stores.keys.rotate('k1', keyOf(jo, 'k2', 7_000), 7_000, recent)).toBe('rotated')
      expect(await keysOf('u1')).toEqual(['k2', 'working', 'k1', 'expired', 'old'])
      expect(await stores.keys.rotate('k2', keyOf(jo, 'k3', 8_000), 8_000, recent)).toBe('rotated')
      expect(await keysOf('u1')).toEqual(['k3', 'working', 'k2', 'expired', 'old'])
      expect(await stores.keys.rotate('k2', keyOf(jo, 'k4', 8_000), 8_000, recent)).toBe('inactive')
      expect(await keysOf('u1')).toHaveLength(5)
      expect(await keysOf('u2')).toEqual(['other'])
    })

    test('a rotation whose successor cannot be stored changes nothing', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.keys.create(keyOf(jo, 'k1'), 2)
      const repeated = { ...keyOf(jo, 'k2', 6_000), hash: 'hash of k1' }
      await expect(stores.keys.rotate('k1', repeated, 9_000)).rejects.toThrow()
      expect(await stores.keys.find('k1')).toMatchObject({ replacedById: null, expiresAtMs: null })
    })

    test('rotation does not extend a key', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.keys.create({ ...keyOf(jo, 'k1'), expiresAtMs: 8_000 }, 1)
      expect(await stores.keys.rotate('k1', keyOf(jo, 'k2', 8_000), 9_000)).toBe('inactive')
      expect(await stores.keys.rotate('k1', keyOf(jo, 'k2', 7_999), 9_000)).toBe('rotated')
      expect(await stores.keys.findOwner('hash of k1')).toMatchObject({ expiresAtMs: 8_000 })
    })

    test('sweep deletes only keys that became inactive before the time', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      for (const id of ['active', 'sooner', 'later']) await stores.keys.create(keyOf(jo, id), 5)
      await stores.keys.deactivate('u1', 'sooner', 8_999)
      await stores.keys.deactivate('u1', 'later', 9_000)
      await stores.keys.create({ ...keyOf(jo, 'expired'), expiresAtMs: 9_000 }, 5)
      await stores.keys.create({ ...keyOf(jo, 'expires'), expiresAtMs: 9_001 }, 5)
      expect(await stores.keys.sweep(9_000)).toBe(2)
      expect(await stores.keys.sweep(9_000)).toBe(0)
      expect((await stores.keys.list()).map(({ id }) => id).toSorted()).toEqual(['active', 'expires', 'later'])
    })

    test('rejected requests are counted for keys that exist, and the latest keys are listed first', async () => {
      await using stores = await open()
      const { users, keys } = stores
      await users.ensure(newJo)
      await users.ensure(newAnn)
      for (const id of ['k1', 'k2', 'k3']) await keys.create(keyOf(jo, id), 9)
      await keys.create(keyOf(ann, 'k4'), 9)
      const rowOf = (keyId: string, count: number, firstAtMs: number, lastAtMs: number) => {
        return { keyId, userId: keyId === 'k4' ? 'u2' : 'u1', count, firstAtMs, lastAtMs }
      }
      const [first, gone] = [rowOf('k1', 3, 10, 20), rowOf('gone', 1, 10, 20)]
      expect(await keys.countRejected([gone, first])).toEqual([first])
      await keys.countRejected([rowOf('k1', 4, 30, 40), rowOf('k2', 1, 50, 50), rowOf('k4', 1, 60, 60)])
      const listed = async (sinceMs: number, limit: number, replacedSinceMs = 99) =>
        (await keys.listRejected('u1', { sinceMs, replacedSinceMs, limit })).map(({ id }) => id)
      expect(await listed(40, 9)).toEqual(['k2', 'k1'])
      expect(await listed(41, 9)).toEqual(['k2'])
      expect(await listed(40, 1)).toEqual(['k2'])
      await keys.rotate('k2', keyOf(jo, 'k5', 6_000), 6_000)
      expect(await listed(40, 1)).toEqual(['k1'])
      expect(await listed(40, 9, 51)).toEqual(['k1'])
      expect(await listed(40, 9, 50)).toEqual(['k2', 'k1'])
      const counts = { rejectedRequests: 7, firstRejectedAtMs: 10, lastRejectedAtMs: 40 }
      expect(await keys.find('k1')).toMatchObject(counts)
    })

    test('a key that has ended is replaced once, while there is room for another key', async () => {
      await using stores = await open()
      const { users, keys } = stores
      await users.ensure(newJo)
      for (const id of ['expired', 'deactivated', 'other']) await keys.create(keyOf(jo, id), 9)
      await keys.update('u1', 'expired', { expiresAtMs: 6_000 }, 5_000)
      await keys.deactivate('u1', 'deactivated', 6_000)
      const rotate = (id: string, next: string, maxActive?: number) =>
        keys.rotate(id, keyOf(jo, next, 7_000), 8_000, undefined, undefined, maxActive)
      expect(await rotate('expired', 'k1')).toBe('inactive')
      expect(await rotate('expired', 'k1', 1)).toBe('inactive')
      expect(await rotate('expired', 'k1', 2)).toBe('rotated')
      expect(await rotate('expired', 'k2', 9)).toBe('inactive')
      expect(await rotate('deactivated', 'k2', 3)).toBe('rotated')
      expect(await keys.find('expired')).toMatchObject({ replacedById: 'k1', expiresAtMs: 6_000 })
      expect(await keys.find('deactivated')).toMatchObject({ replacedById: 'k2', deactivatedAtMs: 6_000 })
    })

    test('a deleted key is known, but not listed, and at most 100 are kept', async () => {
      await using stores = await open()
      const { users, keys } = stores
      await users.ensure(newJo)
      await keys.create(keyOf(jo, 'k0', 1), 9)
      const recent = [{ max: 2, sinceMs: 0 }]
      for (let n = 1; n <= 103; n++) await keys.rotate(`k${n - 1}`, keyOf(jo, `k${n}`, 1 + n), 1 + n, recent)
      expect((await keys.listOf('u1', 200, FIRST_PAGE)).keys.map(({ id }) => id)).toEqual(['k103', 'k102'])
      expect(await keys.listOf('u1', 200, FIRST_PAGE)).toMatchObject({ total: 2, active: 1 })
      expect((await keys.list()).map(({ id }) => id)).toEqual(['k102', 'k103'])
      expect((await keys.listOf('u1', 200)).keys).toHaveLength(102)
      expect(await keys.findOwner('hash of k101')).toMatchObject({ keyId: 'k101', deletedAtMs: 104 })
      expect(await keys.findOwner('hash of k2')).toMatchObject({ keyId: 'k2' })
      expect(await keys.findOwner('hash of k1')).toBeNull()
      expect(await keys.sweep(102)).toBe(99)
    })

    test('keys are listed oldest first, with their owner and without their hash', async () => {
      await using stores = await open()
      await stores.users.ensure(newJo)
      await stores.keys.create(keyOf(jo, 'later', 8_000), 5)
      await stores.keys.create(keyOf(jo, 'sooner', 7_000), 5)
      const shared = {
        userId: 'u1',
        lastFour: 'beef',
        deactivatedAtMs: null,
        replacedById: null,
        deletedAtMs: null,
        rejectedRequests: 0,
        firstRejectedAtMs: null,
        lastRejectedAtMs: null,
        ...UNRESTRICTED,
        email: jo.email,
      }
      expect(await stores.keys.list()).toEqual([
        { id: 'sooner', name: 'key sooner', createdAtMs: 7_000, ...shared },
        { id: 'later', name: 'key later', createdAtMs: 8_000, ...shared },
      ])
    })
  })
