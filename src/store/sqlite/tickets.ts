import { and, eq, gt, inArray, lte } from 'drizzle-orm'

import type { Tickets } from '../../core/account-ports.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import { tickets, type Drizzle } from '../sql/tables.ts'

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
      const { hash } = tickets
      const expired = db.select({ hash }).from(tickets).where(lte(tickets.expiresAtMs, nowMs)).limit(STEP_ROWS)
      return inSteps(() => db.delete(tickets).where(inArray(hash, expired)).returning({ hash }).all().length)
    },
  }
}
