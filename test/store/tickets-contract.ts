import { describe, expect, test } from 'bun:test'

import type { Users } from '../../src/core/accounts/ports.ts'
import type { Tickets } from '../../src/core/accounts/tickets.ts'
import type { Open } from './open.ts'

const ticket = { hash: 'h1', payload: '{"next":"/keys"}', expiresAtMs: 9_000 }

/** The contract of every implementation of `Tickets`. */
export const ticketsContract = (name: string, open: Open<{ tickets: Tickets; users: Users }>) =>
  describe(`Tickets: ${name}`, () => {
    test('a ticket is redeemed once', async () => {
      await using store = await open()
      await store.tickets.issue(ticket)
      expect(await store.tickets.redeem('h1', 2_000)).toBe(ticket.payload)
      expect(await store.tickets.redeem('h1', 2_000)).toBeNull()
      expect(await store.tickets.redeem('unknown', 2_000)).toBeNull()
    })

    test('peek does not redeem it', async () => {
      await using store = await open()
      await store.tickets.issue(ticket)
      expect(await store.tickets.peek('h1', 2_000)).toBe(ticket.payload)
      expect(await store.tickets.peek('h1', 2_000)).toBe(ticket.payload)
      await store.tickets.redeem('h1', 2_000)
      expect(await store.tickets.peek('h1', 2_000)).toBeNull()
    })

    test.each([
      ['one millisecond before its expiry', 8_999, ticket.payload],
      ['at its expiry', 9_000, null],
    ])('%s', async (_, nowMs, payload) => {
      await using store = await open()
      await store.tickets.issue(ticket)
      expect(await store.tickets.peek('h1', nowMs)).toBe(payload)
      expect(await store.tickets.redeem('h1', nowMs)).toBe(payload)
    })

    test('only one of many concurrent callers gets it', async () => {
      await using store = await open()
      await store.tickets.issue(ticket)
      const got = await Promise.all(Array.from({ length: 20 }, () => store.tickets.redeem('h1', 2_000)))
      expect(got.filter((payload) => payload !== null)).toHaveLength(1)
    })

    test('pending invitations are listed, latest expiry first', async () => {
      await using store = await open()
      await store.tickets.issue(ticket)
      const invite = (email: string, expiresAtMs: number) =>
        store.tickets.issue({ hash: `hash of ${email}`, payload: email, expiresAtMs, invitedBy: 'op@example.com' })
      await invite('a@example.com', 8_000)
      await invite('b@example.com', 9_000)
      await invite('expired@example.com', 7_000)
      await invite('used@example.com', 9_000)
      await store.tickets.redeem('hash of used@example.com', 2_000)
      await invite('jo@example.com', 9_000)
      await store.users.ensure({ id: 'u1', email: 'jo@example.com', plan: 'free', createdAtMs: 1 })
      const [a, b] = [
        { email: 'a@example.com', invitedBy: 'op@example.com', expiresAtMs: 8_000 },
        { email: 'b@example.com', invitedBy: 'op@example.com', expiresAtMs: 9_000 },
      ]
      const page = { offset: 0, limit: 5, nowMs: 7_000 }
      expect(await store.tickets.listInvitations(page)).toEqual({ invitations: [b, a], total: 2 })
      expect(await store.tickets.listInvitations({ ...page, offset: 1 })).toEqual({ invitations: [a], total: 2 })
    })

    test('revoking deletes the invitations of one address, and no other ticket', async () => {
      await using store = await open()
      const invited = { expiresAtMs: 9_000, invitedBy: 'op@example.com' }
      await store.tickets.issue({ hash: 'i1', payload: 'a@example.com', ...invited })
      await store.tickets.issue({ hash: 'i2', payload: 'b@example.com', ...invited })
      await store.tickets.issue({ hash: 'link', payload: 'a@example.com', expiresAtMs: 9_000 })
      expect(await store.tickets.revokeInvitations('a@example.com')).toBe(true)
      expect(await store.tickets.revokeInvitations('a@example.com')).toBe(false)
      const left = ['i1', 'i2', 'link'].map((hash) => store.tickets.peek(hash, 2_000))
      expect(await Promise.all(left)).toEqual([null, 'b@example.com', 'a@example.com'])
    })

    test('sweep deletes only expired tickets', async () => {
      await using store = await open()
      await store.tickets.issue(ticket)
      await store.tickets.issue({ ...ticket, hash: 'h2', expiresAtMs: 9_001 })
      expect(await store.tickets.sweep(9_000)).toBe(1)
      expect(await store.tickets.peek('h2', 9_000)).not.toBeNull()
    })
  })
