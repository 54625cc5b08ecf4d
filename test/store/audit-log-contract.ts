import { describe, expect, test } from 'bun:test'

import type { AuditEntry } from '../../src/core/accounts/audit-log.ts'
import { UNRESTRICTED } from '../../src/core/accounts/key-settings.ts'
import type { Stores } from '../../src/compose/stores.ts'
import { addUsers, type Open } from './open.ts'

type AccountStores = Pick<Stores, 'users' | 'identities' | 'tickets' | 'keys' | 'audit'>

const entryOf = (id: string, atMs: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  atMs,
  actor: 'op@example.com',
  action: 'plan_changed',
  userId: 'u1',
  email: 'jo@example.com',
  detail: 'Free → Growth',
  ...more,
})

const ticket = (hash: string, invitedBy?: string) => ({
  hash,
  payload: 'eve@example.com',
  expiresAtMs: 9,
  ...(invitedBy && { invitedBy }),
})

/** Writes an entry. */
const append = ({ tickets }: AccountStores, entry: AuditEntry) => tickets.issue(ticket(entry.id), () => entry)

const keyOf = (id: string) => ({
  ...UNRESTRICTED,
  id,
  userId: 'u1',
  name: id,
  hash: id,
  lastFour: '0000',
  createdAtMs: 1,
})

type Change = (stores: AccountStores, audit: () => AuditEntry) => Promise<unknown>

/** Changes of jo and their key k1, of the suspended ann, and of the invited eve. */
const CHANGES: Record<string, Change> = {
  'own limits': ({ users }, audit) => users.setPlan('jo@example.com', { maxKeys: 7 }, audit),
  'a plan': ({ users }, audit) => users.setPlan('jo@example.com', { plan: 'growth' }, audit),
  'a suspension': ({ users }, audit) => users.suspend('u1', 1, audit),
  'the end of a suspension': ({ users }, audit) => users.resume('u2', audit),
  'a created key': ({ keys }, audit) => keys.create(keyOf('k2'), 9, undefined, audit),
  'a rotated key': ({ keys }, audit) => keys.rotate('k1', keyOf('k2'), 9, undefined, audit),
  'a deactivated key': ({ keys }, audit) => keys.deactivate('u1', 'k1', 1, audit),
  'deleted identities': ({ identities }, audit) => identities.disconnect('u1', audit),
  'a revoked invitation': ({ tickets }, audit) => tickets.revokeInvitations('eve@example.com', audit),
}

/** These change something each time. */
const REPEATABLE_CHANGES: Record<string, Change> = {
  'settings of a key': ({ keys }, audit) => keys.update('u1', 'k1', { name: audit().id }, 1, audit),
  'an invitation': ({ tickets }, audit) => tickets.issue(ticket(audit().id, 'ann@example.com'), audit),
}

async function addAccounts(stores: AccountStores) {
  await addUsers(stores)
  await stores.users.suspend('u2', 1)
  await stores.keys.create(keyOf('k1'), 9)
  const claim = { issuer: 'https://issuer.example', subject: '1', verifiedEmail: 'jo@example.com' }
  await stores.identities.signIn({ ...claim, account: 'jo', name: null }, { id: 'u3', plan: 'free', createdAtMs: 1 })
  await stores.tickets.issue(ticket('earlier', 'jo@example.com'))
}

const stateOf = async ({ users, keys, identities, tickets }: AccountStores) => ({
  users: await users.list(),
  keys: await keys.list(),
  identities: await identities.list('u1'),
  invitations: await tickets.listInvitations({ offset: 0, limit: 9, nowMs: 1 }),
})

const idsIn = async ({ audit }: AccountStores) =>
  (await audit.list({ offset: 0, limit: 9 })).entries.map(({ id }) => id)

/** The contract of every implementation of `AuditLog`, and of the stores that write its entries. */
export const auditLogContract = (name: string, open: Open<AccountStores>) =>
  describe(`AuditLog: ${name}`, () => {
    test('entries are listed newest first, in pages', async () => {
      await using store = await open()
      for (let i = 1; i <= 5; i++) await append(store, entryOf(`a${i}`, i * 1_000))
      const { entries, total } = await store.audit.list({ offset: 1, limit: 2 })
      expect(entries).toEqual([entryOf('a4', 4_000), entryOf('a3', 3_000)])
      expect(total).toBe(5)
    })

    test('entries can be filtered by user', async () => {
      await using store = await open()
      await append(store, entryOf('a1', 1_000))
      await append(store, entryOf('a2', 2_000, { userId: 'u2', actor: null }))
      await append(store, entryOf('a3', 3_000, { userId: null }))
      const { entries, total } = await store.audit.list({ userId: 'u2', offset: 0, limit: 10 })
      expect(entries).toEqual([entryOf('a2', 2_000, { userId: 'u2', actor: null })])
      expect(total).toBe(1)
    })

    test('an entry of an action that changes no store is written alone, once', async () => {
      await using store = await open()
      const entry = entryOf('a1', 1_000, { action: 'backed_up', userId: null, email: '', detail: '' })
      await store.audit.record(entry)
      expect((await store.audit.list({ offset: 0, limit: 9 })).entries).toEqual([entry])
      await expect(store.audit.record(entry)).rejects.toThrow()
    })

    test('sweep deletes only entries before the time', async () => {
      await using store = await open()
      for (let i = 1; i <= 250; i++) await append(store, entryOf(`a${i}`, i))
      await append(store, entryOf('border', 251))
      expect(await store.audit.sweep(251)).toBe(250)
      expect((await store.audit.list({ offset: 0, limit: 10 })).entries).toEqual([entryOf('border', 251)])
    })

    test.each(Object.entries({ ...CHANGES, ...REPEATABLE_CHANGES }))(
      '%s and its entry are written together or not at all',
      async (_, change) => {
        await using stores = await open()
        await addAccounts(stores)
        await append(stores, entryOf('a1', 1))
        const before = await stateOf(stores)
        // The id of another entry cannot be stored.
        await expect(change(stores, () => entryOf('a1', 2))).rejects.toThrow()
        expect(await stateOf(stores)).toEqual(before)
        await change(stores, () => entryOf('a2', 2))
        expect(await stateOf(stores)).not.toEqual(before)
        expect(await idsIn(stores)).toEqual(['a2', 'a1'])
      },
    )

    test.each(Object.entries(CHANGES))('%s that exists already has no entry', async (_, change) => {
      await using stores = await open()
      await addAccounts(stores)
      await change(stores, () => entryOf('a1', 1))
      await change(stores, () => entryOf('a2', 2))
      expect(await idsIn(stores)).toEqual(['a1'])
    })

    test('an invitation replaces earlier ones of its address', async () => {
      await using stores = await open()
      await addAccounts(stores)
      await stores.tickets.issue(ticket('later', 'ann@example.com'))
      const { invitations } = await stores.tickets.listInvitations({ offset: 0, limit: 9, nowMs: 1 })
      expect(invitations).toMatchObject([{ email: 'eve@example.com', invitedBy: 'ann@example.com' }])
    })
  })
