import { and, eq, gt, lte } from 'drizzle-orm'

import type { Tickets } from '../../core/accounts/ports.ts'
import type { Dialect } from './dialect.ts'
import type { AccountTables } from './tables.ts'

export function sqlTickets({ db, tables: { tickets }, sweep }: Dialect<AccountTables>): Tickets {
  const { payload, expiresAtMs } = tickets
  const isOpen = (hash: string, nowMs: number) => and(eq(tickets.hash, hash), gt(expiresAtMs, nowMs))

  return {
    async issue(ticket) {
      await db.insert(tickets).values(ticket)
    },

    async peek(hash, nowMs) {
      const [ticket] = await db.select({ payload }).from(tickets).where(isOpen(hash, nowMs))
      return ticket?.payload ?? null
    },

    async redeem(hash, nowMs) {
      // One statement finds and deletes the row, so only one of two concurrent callers gets it.
      const [ticket] = await db.delete(tickets).where(isOpen(hash, nowMs)).returning({ payload })
      return ticket?.payload ?? null
    },

    sweep: (nowMs) => sweep(tickets, lte(expiresAtMs, nowMs)),
  }
}
