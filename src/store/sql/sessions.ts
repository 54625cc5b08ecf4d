import { and, desc, eq, getTableColumns, gt, isNull, lte, ne, notInArray, sql } from 'drizzle-orm'

import type { Sessions } from '../../core/accounts/ports.ts'
import { type Dialect, firstRow, hasRows, run } from './dialect.ts'
import type { AccountTables } from './tables.ts'
import { userStatements } from './users.ts'

/** The maximum number of sessions of a user. A further session ends the least recently used session. */
const MAX_SESSIONS = 50

export function sqlSessions({ db, tables, atomically, sweep }: Dialect<AccountTables>): Sessions {
  const { sessions, users } = tables
  const { tokenHash: _, ...columns } = getTableColumns(sessions)
  const { id: sessionId, expiresAtMs } = sessions

  const latestFirst = [desc(sessions.lastSeenAtMs), desc(sessionId)]
  const isOpen = and(eq(sessions.tokenHash, sql.placeholder('tokenHash')), gt(expiresAtMs, sql.placeholder('nowMs')))
  // Prepared, because every request of the dashboard runs this statement.
  const find = db
    .select({ session: columns, user: userStatements(tables).columns })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(isOpen, isNull(users.suspendedAtMs)))
    .prepare()

  return {
    open(session, replaces) {
      return atomically(function* (tx) {
        if (replaces !== null) yield* run(tx.delete(sessions).where(eq(sessions.tokenHash, replaces)))
        yield* run(tx.insert(sessions).values(session))
        const isOfUser = eq(sessions.userId, session.userId)
        const all = tx.select({ id: sessionId }).from(sessions).where(isOfUser)
        const kept = all.orderBy(...latestFirst).limit(MAX_SESSIONS)
        yield* run(tx.delete(sessions).where(and(isOfUser, notInArray(sessionId, kept))))
      })
    },

    find: (tokenHash, nowMs) => firstRow(find.execute({ tokenHash, nowMs })),

    async touch(id, times) {
      await db.update(sessions).set(times).where(eq(sessionId, id))
    },

    async list(userId, nowMs) {
      const isUnexpired = and(eq(sessions.userId, userId), gt(expiresAtMs, nowMs))
      const unexpired = db.select(columns).from(sessions).where(isUnexpired)
      return unexpired.orderBy(...latestFirst)
    },

    revoke(userId, id) {
      const filter = and(eq(sessions.userId, userId), eq(sessionId, id))
      return hasRows(db.delete(sessions).where(filter).returning({ id: sessionId }))
    },

    async revokeOthers(userId, keptId) {
      const filter = and(eq(sessions.userId, userId), ne(sessionId, keptId))
      return (await db.delete(sessions).where(filter).returning({ id: sessionId })).length
    },

    sweep: (nowMs) => sweep(sessions, lte(expiresAtMs, nowMs)),
  }
}
