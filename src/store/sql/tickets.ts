import { and, eq, gt, inArray, lte } from 'drizzle-orm'

import type { Tickets } from '../../core/account-ports.ts'
import { inSteps, STEP_ROWS } from '../postgres/in-steps.ts'
import { tickets, type Drizzle } from '../postgres/schema.ts'

export function postgresTickets(db: Drizzle): Tickets {
  const { hash: ticketHash, payload } = tickets
  const isOpen = (hash: string, nowMs: number) => and(eq(ticketHash, hash), gt(tickets.expiresAtMs, nowMs))

  return {
    async issue(ticket) {
      await db.insert(tickets).values(ticket)
    },

    async peek(hash, nowMs) {
      const [ticket] = await db.select({ payload }).from(tickets).where(isOpen(hash, nowMs))
      return ticket?.payload ?? null
    },

    async redeem(hash, nowMs) {
      // One statement finds and deletes, so that of two concurrent callers only one gets the row.
      const [ticket] = await db.delete(tickets).where(isOpen(hash, nowMs)).returning({ payload })
      return ticket?.payload ?? null
    },

    async sweep(nowMs) {
      const expired = db
        .select({ hash: ticketHash })
        .from(tickets)
        .where(lte(tickets.expiresAtMs, nowMs))
        .limit(STEP_ROWS)
      return inSteps(() => db.delete(tickets).where(inArray(ticketHash, expired)).returning({ hash: ticketHash }))
    },
  }
}
