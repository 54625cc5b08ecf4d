import { describe, expect, test } from 'bun:test'

import type { Identities, Sessions, Users } from '../../src/core/account-ports.ts'
import type { IdentityClaim } from '../../src/core/identity.ts'

export interface IdentityStores extends Disposable {
  users: Users
  identities: Identities
  sessions: Sessions
}

const github: IdentityClaim & { verifiedEmail: string } = {
  provider: 'github',
  subject: '17',
  verifiedEmail: 'jo@example.com',
  account: 'jo',
  name: 'Jo',
}
const google = { ...github, provider: 'google', subject: 'abc', account: 'jo@example.com' } as const
const newUser = (id: string) => ({ id, plan: 'free' as const, createdAtMs: 1_000 })

/** What every adapter of `Identities` must do; whose account a claim opens is decided and tested in the core. */
export const identitiesContract = (name: string, open: () => IdentityStores) =>
  describe(`Identities: ${name}`, () => {
    test('a new person gets an account', async () => {
      using stores = open()
      const { decision, user } = await stores.identities.signIn(github, newUser('u1'))
      expect(decision.verdict).toBe('new')
      expect(user).toEqual({ ...newUser('u1'), email: 'jo@example.com', name: 'Jo', suspendedAtMs: null })
      expect(await stores.identities.list('u1')).toEqual([
        { provider: 'github', subject: '17', account: 'jo', email: 'jo@example.com', createdAtMs: 1_000 },
      ])
    })

    test('the same person comes back to it, with the name they have now', async () => {
      using stores = open()
      await stores.identities.signIn(github, newUser('u1'))
      const { user } = await stores.identities.signIn({ ...github, name: 'Jo Doe', account: 'jodoe' }, newUser('u2'))
      expect(user).toMatchObject({ id: 'u1', name: 'Jo Doe' })
      expect(await stores.identities.list('u1')).toMatchObject([{ account: 'jodoe', createdAtMs: 1_000 }])
      expect(await stores.users.list()).toHaveLength(1)
    })

    test('another provider that vouches for the same address joins', async () => {
      using stores = open()
      await stores.identities.signIn(github, newUser('u1'))
      const { decision, user } = await stores.identities.signIn(google, newUser('u2'))
      expect([decision.verdict, user!.id]).toEqual(['joined', 'u1'])
      expect(await stores.identities.list('u1')).toHaveLength(2)
    })

    test('an account that the operator made is joined', async () => {
      using stores = open()
      await stores.users.ensure({ ...newUser('u1'), email: 'jo@example.com', plan: 'growth' })
      const { user } = await stores.identities.signIn(github, newUser('u2'))
      expect(user).toMatchObject({ id: 'u1', plan: 'growth', name: 'Jo' })
    })

    test('the account follows a person to a new address', async () => {
      using stores = open()
      await stores.identities.signIn(github, newUser('u1'))
      const { user } = await stores.identities.signIn({ ...github, verifiedEmail: 'jo@new.example' }, newUser('u2'))
      expect(user).toMatchObject({ id: 'u1', email: 'jo@new.example' })
      // Whoever has the old address now is somebody else.
      expect((await stores.identities.signIn(google, newUser('u2'))).user).toMatchObject({ id: 'u2' })
    })

    test('a refusal changes nothing', async () => {
      using stores = open()
      await stores.identities.signIn(github, newUser('u1'))
      await stores.users.suspend('u1', 2_000)
      const { decision, user } = await stores.identities.signIn({ ...google, name: 'Eve' }, newUser('u2'))
      expect([decision, user]).toEqual([{ verdict: 'refused', problem: 'suspended' }, null])
      expect(await stores.identities.list('u1')).toHaveLength(1)
      expect(await stores.users.find('u1')).toMatchObject({ name: 'Jo' })
    })

    test('a removed user is new again', async () => {
      using stores = open()
      await stores.identities.signIn(github, newUser('u1'))
      await stores.users.remove('u1', 2_000)
      expect((await stores.identities.signIn(github, newUser('u2'))).decision.verdict).toBe('new')
    })

    test('of many first sign-ins at once one makes the account', async () => {
      using stores = open()
      const claims = Array.from({ length: 10 }, (_, i) => stores.identities.signIn(github, newUser(`u${i}`)))
      expect(new Set((await Promise.all(claims)).map(({ user }) => user!.id)).size).toBe(1)
    })
  })
