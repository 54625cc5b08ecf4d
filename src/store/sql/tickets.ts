import { and, desc, eq, gt, isNull, lte, sql } from 'drizzle-orm'

import type { Tickets } from '../../core/accounts/tickets.ts'
import { recordAudit, recordIfChanged } from './audit-log.ts'
import { type Dialect, run } from './dialect.ts'
import type { AccountTables } from './tables.ts'

export function sqlTickets({ db, tables, atomically, sweep }: Dialect<AccountTables>): Tickets {
  const { tickets, users } = tables
  const { payload, expiresAtMs, invitedBy } = tickets
  // SQLite uses the index for this comparison, but not for `is not null`.
  const isInvitation = gt(invitedBy, '')
  const isInvitationOf = (email: string) => and(isInvitation, eq(payload, email))
  const isOpen = (hash: string, nowMs: number) => and(eq(tickets.hash, hash), gt(expiresAtMs, nowMs))

  return {
    issue(ticket, audit) {
      return atomically(function* (tx) {
        if (ticket.invitedBy !== undefined) yield* run(tx.delete(tickets).where(isInvitationOf(ticket.payload)))
        yield* run(tx.insert(tickets).values(ticket))
        yield* recordAudit(tx, tables, undefined, audit)
      })
    },

    async peek(hash, nowMs) {
      const [ticket] = await db.select({ payload }).from(tickets).where(isOpen(hash, nowMs))
      return ticket?.payload ?? null
    },

    async redeem(hash, nowMs) {
      // One statement finds and deletes the row, so only one of two concurrent callers gets the ticket.
      const [ticket] = await db.delete(tickets).where(isOpen(hash, nowMs)).returning({ payload })
      return ticket?.payload ?? null
    },

    async listInvitations({ offset, limit, nowMs }) {
      const isPending = and(isInvitation, gt(expiresAtMs, nowMs), isNull(users.id))
      const columns = { email: payload, invitedBy: sql<string>`${invitedBy}`, expiresAtMs }
      const pending = () => db.select(columns).from(tickets).leftJoin(users, eq(users.email, payload)).where(isPending)
      const page = pending().orderBy(desc(expiresAtMs), desc(tickets.hash)).limit(limit).offset(offset)
      const [invitations, total] = await Promise.all([page, db.$count(pending().as('pending'))])
      return { invitations, total }
    },

    revokeInvitations(email, audit) {
      return atomically(function* (tx) {
        const deleted = yield* run(tx.delete(tickets).where(isInvitationOf(email)).returning({ payload }))
        return yield* recordIfChanged(tx, tables, deleted, audit)
      })
    },

    sweep: (nowMs) => sweep(tickets, lte(expiresAtMs, nowMs)),
  }
}
