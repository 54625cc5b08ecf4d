import { describe, expect, test } from 'bun:test'

import type { Session } from '../../src/core/accounts/ports.ts'
import type { IdentityStores } from './identities-contract.ts'
import { addUsers, type Open } from './open.ts'

const sessionOf = (id: string, more: Partial<Session> = {}): Session & { tokenHash: string } => ({
  id,
  userId: 'u1',
  userAgent: 'Firefox',
  createdAtMs: 1_000,
  lastSeenAtMs: 1_000,
  expiresAtMs: 9_000,
  ...more,
  tokenHash: `hash of ${id}`,
})

async function withUsers(stores: IdentityStores) {
  await addUsers(stores)
  return stores.sessions
}

/** The contract of every implementation of `Sessions`. */
export const sessionsContract = (name: string, open: Open<IdentityStores>) =>
  describe(`Sessions: ${name}`, () => {
    test('a session is found by its hash, with its user and without the hash', async () => {
      await using stores = await open()
      const sessions = await withUsers(stores)
      await sessions.open(sessionOf('s1'), null)
      const { tokenHash: _, ...session } = sessionOf('s1')
      const found = await sessions.find('hash of s1', 2_000)
      expect(found).toEqual({ session, user: (await stores.users.find('u1'))! })
      expect(await sessions.find('hash of another', 2_000)).toBeNull()
    })

    test.each([
      ['one millisecond before its expiry', 8_999, true],
      ['at its expiry', 9_000, false],
    ])('%s', async (_, nowMs, isOpen) => {
      await using stores = await open()
      const sessions = await withUsers(stores)
      await sessions.open(sessionOf('s1'), null)
      expect((await sessions.find('hash of s1', nowMs)) !== null).toBe(isOpen)
      expect((await sessions.list('u1', nowMs)).length === 1).toBe(isOpen)
    })

    test('a new session ends the one it replaces', async () => {
      await using stores = await open()
      const sessions = await withUsers(stores)
      await sessions.open(sessionOf('s1'), null)
      await sessions.open(sessionOf('s2'), 'hash of s1')
      expect(await sessions.find('hash of s1', 2_000)).toBeNull()
      expect(await sessions.find('hash of s2', 2_000)).not.toBeNull()
    })

    test('of a user, the fifty that were used last stay open', async () => {
      await using stores = await open()
      const sessions = await withUsers(stores)
      for (let n = 0; n < 52; n++) await sessions.open({ ...sessionOf(`s${n}`), lastSeenAtMs: 1_000 + n }, null)
      const ids = (await sessions.list('u1', 2_000)).map(({ id }) => id)
      expect(ids).toEqual(Array.from({ length: 50 }, (_, n) => `s${51 - n}`))
    })

    test('touch changes the expiry', async () => {
      await using stores = await open()
      const sessions = await withUsers(stores)
      await sessions.open(sessionOf('s1'), null)
      await sessions.touch('s1', { lastSeenAtMs: 5_000, expiresAtMs: 12_000 })
      expect((await sessions.find('hash of s1', 10_000))!.session).toMatchObject({
        lastSeenAtMs: 5_000,
        expiresAtMs: 12_000,
      })
    })

    test('only sessions of the user are listed, the last seen first', async () => {
      await using stores = await open()
      const sessions = await withUsers(stores)
      await sessions.open(sessionOf('s1'), null)
      await sessions.open(sessionOf('s2', { lastSeenAtMs: 3_000 }), null)
      await sessions.open(sessionOf('s3', { userId: 'u2' }), null)
      expect((await sessions.list('u1', 4_000)).map(({ id }) => id)).toEqual(['s2', 's1'])
    })

    test('only sessions of the user can be revoked', async () => {
      await using stores = await open()
      const sessions = await withUsers(stores)
      await sessions.open(sessionOf('s1'), null)
      expect(await sessions.revoke('u2', 's1')).toBe(false)
      expect(await sessions.find('hash of s1', 2_000)).not.toBeNull()
      expect(await sessions.revoke('u1', 's1')).toBe(true)
      expect(await sessions.revoke('u1', 's1')).toBe(false)
      expect(await sessions.find('hash of s1', 2_000)).toBeNull()
    })

    test('all other sessions of the user can be revoked together', async () => {
      await using stores = await open()
      const sessions = await withUsers(stores)
      for (const id of ['s1', 's2', 's3']) await sessions.open(sessionOf(id), null)
      await sessions.open(sessionOf('s4', { userId: 'u2' }), null)
      expect(await sessions.revokeOthers('u1', 's2')).toBe(2)
      expect((await sessions.list('u1', 2_000)).map(({ id }) => id)).toEqual(['s2'])
      expect(await sessions.list('u2', 2_000)).toHaveLength(1)
    })

    test('a suspension ends all sessions permanently', async () => {
      await using stores = await open()
      const sessions = await withUsers(stores)
      await sessions.open(sessionOf('s1'), null)
      await stores.users.suspend('u1', 2_000)
      expect(await sessions.find('hash of s1', 2_000)).toBeNull()
      await sessions.open(sessionOf('s2'), null)
      expect(await sessions.find('hash of s2', 2_000)).toBeNull()
      await stores.users.resume('u1')
      expect(await sessions.find('hash of s1', 2_000)).toBeNull()
    })

    test('a removed user has no session', async () => {
      await using stores = await open()
      const sessions = await withUsers(stores)
      await sessions.open(sessionOf('s1'), null)
      await stores.users.remove('u1')
      expect(await sessions.find('hash of s1', 2_000)).toBeNull()
    })

    test('sweep deletes only expired sessions', async () => {
      await using stores = await open()
      const sessions = await withUsers(stores)
      await sessions.open(sessionOf('s1'), null)
      await sessions.open(sessionOf('s2', { expiresAtMs: 9_001 }), null)
      expect(await sessions.sweep(9_000)).toBe(1)
      expect(await sessions.find('hash of s2', 9_000)).not.toBeNull()
    })
  })
