import { and, desc, eq, getTableColumns, gt, inArray, isNull, lte, ne } from 'drizzle-orm'

import type { Sessions } from '../../core/account-ports.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import { sessions, users, type Drizzle } from '../sql/tables.ts'

export function sqliteSessions(db: Drizzle): Sessions {
  const { tokenHash: _, ...columns } = getTableColumns(sessions)

  return {
    async open(session, replaces) {
      db.transaction(
        (tx) => {
          if (replaces !== null) tx.delete(sessions).where(eq(sessions.tokenHash, replaces)).run()
          tx.insert(sessions).values(session).run()
        },
        { behavior: 'immediate' },
      )
    },

    async find(tokenHash, nowMs) {
      const found = db
        .select({ session: columns, user: getTableColumns(users) })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .where(and(eq(sessions.tokenHash, tokenHash), gt(sessions.expiresAtMs, nowMs), isNull(users.suspendedAtMs)))
        .get()
      return found ?? null
    },

    async touch(id, times) {
      db.update(sessions).set(times).where(eq(sessions.id, id)).run()
    },

    async list(userId, nowMs) {
      return db
        .select(columns)
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAtMs, nowMs)))
        .orderBy(desc(sessions.lastSeenAtMs), desc(sessions.id))
        .all()
    },

    async revoke(userId, id) {
      const filter = and(eq(sessions.userId, userId), eq(sessions.id, id))
      return db.delete(sessions).where(filter).returning({ id: sessions.id }).all().length > 0
    },

    async revokeOthers(userId, keptId) {
      const filter = and(eq(sessions.userId, userId), ne(sessions.id, keptId))
      return db.delete(sessions).where(filter).returning({ id: sessions.id }).all().length
    },

    async sweep(nowMs) {
      const expired = db
        .select({ id: sessions.id })
        .from(sessions)
        .where(lte(sessions.expiresAtMs, nowMs))
        .limit(STEP_ROWS)
      return inSteps(
        () => db.delete(sessions).where(inArray(sessions.id, expired)).returning({ id: sessions.id }).all().length,
      )
    },
  }
}
