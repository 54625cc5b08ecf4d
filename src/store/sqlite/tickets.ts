import { and, eq, gt, lte } from 'drizzle-orm'

import type { Tickets } from '../../core/account-ports.ts'
import { tickets, type Drizzle } from './schema.ts'

export function sqliteTickets(db: Drizzle): Tickets {
  const isOpen = (hash: string, nowMs: number) => and(eq(tickets.hash, hash), gt(tickets.expiresAtMs, nowMs))

  return {
    async issue(ticket) {
      db.insert(tickets).values(ticket).run()
    },

    async peek(hash, nowMs) {
      const { payload } = tickets
      return db.select({ payload }).from(tickets).where(isOpen(hash, nowMs)).get()?.payload ?? null
    },

    async redeem(hash, nowMs) {
      // One statement finds and deletes, so that of two concurrent callers only one gets the row.
      const { payload } = tickets
      return db.delete(tickets).where(isOpen(hash, nowMs)).returning({ payload }).get()?.payload ?? null
    },

    async sweep(nowMs) {
      return db.delete(tickets).where(lte(tickets.expiresAtMs, nowMs)).returning({ hash: tickets.hash }).all().length
    },
  }
}
