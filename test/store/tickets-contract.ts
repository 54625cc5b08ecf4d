import { describe, expect, test } from 'bun:test'

import type { Tickets } from '../../src/core/account-ports.ts'
import type { Open } from './open.ts'

const ticket = { hash: 'h1', payload: '{"next":"/keys"}', expiresAtMs: 9_000 }

/** What every adapter of `Tickets` must do. */
export const ticketsContract = (name: string, open: Open<{ tickets: Tickets }>) =>
  describe(`Tickets: ${name}`, () => {
    test('a ticket is redeemed once', async () => {
      await using store = await open()
      await store.tickets.issue(ticket)
      expect(await store.tickets.redeem('h1', 2_000)).toBe(ticket.payload)
      expect(await store.tickets.redeem('h1', 2_000)).toBeNull()
      expect(await store.tickets.redeem('unknown', 2_000)).toBeNull()
    })

    test('looking at it does not use it up', async () => {
      await using store = await open()
      await store.tickets.issue(ticket)
      expect(await store.tickets.peek('h1', 2_000)).toBe(ticket.payload)
      expect(await store.tickets.peek('h1', 2_000)).toBe(ticket.payload)
      await store.tickets.redeem('h1', 2_000)
      expect(await store.tickets.peek('h1', 2_000)).toBeNull()
    })

    test.each([
      ['one millisecond before its end', 8_999, ticket.payload],
      ['at its end', 9_000, null],
    ])('%s', async (_, nowMs, payload) => {
      await using store = await open()
      await store.tickets.issue(ticket)
      expect(await store.tickets.peek('h1', nowMs)).toBe(payload)
      expect(await store.tickets.redeem('h1', nowMs)).toBe(payload)
    })

    test('of many who ask at once, one gets it', async () => {
      await using store = await open()
      await store.tickets.issue(ticket)
      const got = await Promise.all(Array.from({ length: 20 }, () => store.tickets.redeem('h1', 2_000)))
      expect(got.filter((payload) => payload !== null)).toHaveLength(1)
    })

    test('sweep forgets what is over, and only that', async () => {
      await using store = await open()
      await store.tickets.issue(ticket)
      await store.tickets.issue({ ...ticket, hash: 'h2', expiresAtMs: 9_001 })
      expect(await store.tickets.sweep(9_000)).toBe(1)
      expect(await store.tickets.peek('h2', 9_000)).not.toBeNull()
    })
  })
