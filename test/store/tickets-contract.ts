import { describe, expect, test } from 'bun:test'

import type { Tickets } from '../../src/core/accounts/ports.ts'
import type { Open } from './open.ts'

const ticket = { hash: 'h1', payload: '{"next":"/keys"}', expiresAtMs: 9_000 }

/** The contract of every implementation of `Tickets`. */
export const ticketsContract = (name: string, open: Open<{ tickets: Tickets }>) =>
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

    test('sweep deletes only expired tickets', async () => {
      await using store = await open()
      await store.tickets.issue(ticket)
      await store.tickets.issue({ ...ticket, hash: 'h2', expiresAtMs: 9_001 })
      expect(await store.tickets.sweep(9_000)).toBe(1)
      expect(await store.tickets.peek('h2', 9_000)).not.toBeNull()
    })
  })
