import { describe, expect, test } from 'bun:test'

import type { Identities, Sessions, Users } from '../../src/core/accounts/ports.ts'
import type { IdentityClaim, IdentityKey } from '../../src/core/accounts/identity.ts'
import { everybody } from './accounts-contract.ts'
import type { Open } from './open.ts'
import { NO_OWN_LIMITS } from '../own-limits.ts'

export interface IdentityStores {
  users: Users
  identities: Identities
  sessions: Sessions
}

const github: IdentityClaim & { verifiedEmail: string } = {
  issuer: 'https://github.com/login/oauth',
  subject: '17',
  verifiedEmail: 'jo@example.com',
  account: 'jo',
  name: 'Jo',
}
const google = { ...github, issuer: 'https://accounts.google.com', subject: 'abc', account: 'jo@example.com' } as const
const newUser = (id: string) => ({ id, plan: 'free' as const, createdAtMs: 1_000 })

/** The contract of every implementation of `Identities`; which account a claim opens is decided and tested in the core. */
export const identitiesContract = (name: string, open: Open<IdentityStores>) =>
  describe(`Identities: ${name}`, () => {
    test('a new person gets an account', async () => {
      await using stores = await open()
      const { decision, user } = await stores.identities.signIn(github, newUser('u1'))
      expect(decision.verdict).toBe('new')
      expect(user).toEqual({
        ...newUser('u1'),
        email: 'jo@example.com',
        name: 'Jo',
        suspendedAtMs: null,
        logsUrls: false,
        ...NO_OWN_LIMITS,
      })
      expect(await stores.identities.list('u1')).toEqual([
        { issuer: github.issuer, subject: '17', account: 'jo', email: 'jo@example.com', createdAtMs: 1_000 },
      ])
    })

    test('the same person gets the same account, with the current name', async () => {
      await using stores = await open()
      await stores.identities.signIn(github, newUser('u1'))
      const { user } = await stores.identities.signIn({ ...github, name: 'Jo Doe', account: 'jodoe' }, newUser('u2'))
      expect(user).toMatchObject({ id: 'u1', name: 'Jo Doe' })
      expect(await stores.identities.list('u1')).toMatchObject([{ account: 'jodoe', createdAtMs: 1_000 }])
      expect(await stores.users.list()).toHaveLength(1)
    })

    test('another provider with the same verified address is connected', async () => {
      await using stores = await open()
      await stores.identities.signIn(github, newUser('u1'))
      const { decision, user } = await stores.identities.signIn(google, newUser('u2'))
      expect([decision.verdict, user!.id]).toEqual(['joined', 'u1'])
      expect(await stores.identities.list('u1')).toHaveLength(2)
    })

    test('the same subject at another issuer is another person', async () => {
      await using stores = await open()
      await stores.identities.signIn(github, newUser('u1'))
      const other = { ...github, issuer: 'https://git.example/login/oauth', verifiedEmail: 'ann@example.com' }
      expect((await stores.identities.signIn(other, newUser('u2'))).user).toMatchObject({ id: 'u2' })
      expect(await stores.identities.list('u1')).toMatchObject([{ issuer: github.issuer, account: 'jo' }])
    })

    test('another subject of the same issuer with the same address is refused', async () => {
      await using stores = await open()
      await stores.identities.signIn(github, newUser('u1'))
      const { decision } = await stores.identities.signIn({ ...github, subject: '18' }, newUser('u2'))
      expect(decision).toEqual({ verdict: 'refused', problem: 'email_taken' })
      expect(await stores.users.list()).toHaveLength(1)
    })

    test('a removed identity no longer opens the account', async () => {
      await using stores = await open()
      await stores.identities.signIn(github, newUser('u1'))
      await stores.identities.signIn(google, newUser('u1'))
      expect(await stores.identities.remove('u1', google)).toBe('removed')
      expect(await stores.identities.list('u1')).toMatchObject([{ issuer: github.issuer }])
      const moved = { ...google, verifiedEmail: 'jo@new.example' }
      expect((await stores.identities.signIn(moved, newUser('u2'))).user).toMatchObject({ id: 'u2' })
    })

    test('after an identity was removed, another subject of its issuer is refused, and it can be connected again', async () => {
      await using stores = await open()
      await stores.identities.signIn(github, newUser('u1'))
      await stores.identities.signIn(google, newUser('u1'))
      await stores.identities.remove('u1', google)
      const successor = await stores.identities.signIn({ ...google, subject: 'def' }, newUser('u2'))
      expect(successor.decision).toEqual({ verdict: 'refused', problem: 'email_taken' })
      const { decision } = await stores.identities.signIn(google, newUser('u3'))
      expect(decision).toEqual({ verdict: 'joined', userId: 'u1' })
      expect(await stores.identities.remove('u1', google)).toBe('removed')
    })

    test.each<[string, string, Partial<IdentityKey>, 'unknown' | 'last']>([
      ['the last one', 'u1', {}, 'last'],
      ['another subject', 'u1', { subject: '18' }, 'unknown'],
      ['the subject of another issuer', 'u1', { issuer: google.issuer }, 'unknown'],
      ['that of another user', 'u2', {}, 'unknown'],
    ])('%s cannot be removed', async (_, userId, key, outcome) => {
      await using stores = await open()
      await stores.identities.signIn(github, newUser('u1'))
      const ann = { subject: '19', verifiedEmail: 'ann@example.com' }
      await stores.identities.signIn({ ...github, ...ann }, newUser('u2'))
      await stores.identities.signIn({ ...google, ...ann }, newUser('u2'))
      expect(await stores.identities.remove(userId, { ...github, ...key })).toBe(outcome)
      expect(await stores.identities.list('u1')).toHaveLength(1)
      expect(await stores.identities.list('u2')).toHaveLength(2)
    })

    test('the first identity of an account ends its sessions, and another one does not', async () => {
      await using stores = await open()
      await stores.users.ensure({ ...newUser('u1'), email: 'jo@example.com' })
      const times = { createdAtMs: 1_000, lastSeenAtMs: 1_000, expiresAtMs: 9_000 }
      const openSession = (id: string) =>
        stores.sessions.open({ id, userId: 'u1', userAgent: '', ...times, tokenHash: `hash of ${id}` }, null)
      await openSession('by link')
      expect((await stores.identities.signIn(github, newUser('u2'))).decision.verdict).toBe('joined')
      expect(await stores.sessions.list('u1', 2_000)).toEqual([])
      await openSession('of the owner')
      await stores.identities.signIn(google, newUser('u2'))
      await stores.identities.signIn(github, newUser('u2'))
      expect(await stores.sessions.list('u1', 2_000)).toHaveLength(1)
    })

    test('a disconnected user has no identity and no session', async () => {
      await using stores = await open()
      await stores.identities.signIn(github, newUser('u1'))
      await stores.identities.signIn(google, newUser('u1'))
      const removed = { ...google, issuer: 'https://login.example' }
      await stores.identities.signIn(removed, newUser('u1'))
      await stores.identities.remove('u1', removed)
      const times = { createdAtMs: 1_000, lastSeenAtMs: 1_000, expiresAtMs: 9_000 }
      await stores.sessions.open({ id: 's1', userId: 'u1', userAgent: '', ...times, tokenHash: 'h' }, null)
      expect(await stores.identities.disconnect('u1')).toMatchObject([
        { issuer: github.issuer, account: 'jo' },
        { issuer: google.issuer, account: 'jo@example.com' },
      ])
      expect(await stores.identities.disconnect('u1')).toEqual([])
      expect(await stores.sessions.find('h', 2_000)).toBeNull()
      for (const former of [github, removed]) {
        const successor = { ...former, subject: '18' }
        expect((await stores.identities.signIn(successor, newUser('u2'))).user).toMatchObject({ id: 'u1' })
      }
    })

    test('an account created by an operator is connected', async () => {
      await using stores = await open()
      await stores.users.ensure({ ...newUser('u1'), email: 'jo@example.com', plan: 'growth' })
      const { user } = await stores.identities.signIn(github, newUser('u2'))
      expect(user).toMatchObject({ id: 'u1', plan: 'growth', name: 'Jo' })
    })

    test('the address of the account changes with the address at the provider', async () => {
      await using stores = await open()
      await stores.identities.signIn(github, newUser('u1'))
      const { user } = await stores.identities.signIn({ ...github, verifiedEmail: 'jo@new.example' }, newUser('u2'))
      expect(user).toMatchObject({ id: 'u1', email: 'jo@new.example' })
      expect(
        await Promise.all(['@new', '@example'].map((text) => stores.users.matching({ ...everybody, text }))),
      ).toEqual([['u1'], []])
      // The next owner of the old address is another person.
      expect((await stores.identities.signIn(google, newUser('u2'))).user).toMatchObject({ id: 'u2' })
    })

    test('a rejected sign-in changes nothing', async () => {
      await using stores = await open()
      await stores.identities.signIn(github, newUser('u1'))
      await stores.users.suspend('u1', 2_000)
      const { decision, user } = await stores.identities.signIn({ ...google, name: 'Eve' }, newUser('u2'))
      expect([decision, user]).toEqual([{ verdict: 'refused', problem: 'suspended' }, null])
      expect(await stores.identities.list('u1')).toHaveLength(1)
      expect(await stores.users.find('u1')).toMatchObject({ name: 'Jo' })
    })

    test('a removed user gets a new account', async () => {
      await using stores = await open()
      await stores.identities.signIn(github, newUser('u1'))
      await stores.users.remove('u1')
      expect((await stores.identities.signIn(github, newUser('u2'))).decision.verdict).toBe('new')
    })

    test.each([
      ['Özil', 'özil'],
      ['Özil', 'ÖZIL'],
      ['Özil', 'Özil'],
      ['ÉMILE', 'émile'],
      ['Weiß', 'WEISS'],
      ['Jo\u0308rg', 'jörg'],
    ])('search finds the name %s by %s', async (person, text) => {
      await using stores = await open()
      await stores.identities.signIn({ ...github, name: person }, newUser('u1'))
      expect(await stores.users.search({ ...everybody, text })).toMatchObject({ users: [{ id: 'u1' }], total: 1 })
      expect(await stores.users.search({ ...everybody, text: `${text}x` })).toEqual({ users: [], total: 0 })
    })

    test('concurrent first sign-ins create one account', async () => {
      await using stores = await open()
      const claims = Array.from({ length: 10 }, (_, i) => stores.identities.signIn(github, newUser(`u${i}`)))
      expect(new Set((await Promise.all(claims)).map(({ user }) => user!.id)).size).toBe(1)
    })
  })
