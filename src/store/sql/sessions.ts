import { and, desc, eq, getTableColumns, gt, inArray, isNull, lte, ne } from 'drizzle-orm'

import type { Sessions } from '../../core/account-ports.ts'
import { inSteps, STEP_ROWS } from '../postgres/in-steps.ts'
import { sessions, users, type Drizzle } from '../postgres/schema.ts'
import { serializable } from '../postgres/transaction.ts'
import { USER_COLUMNS } from './users.ts'

export function postgresSessions(db: Drizzle): Sessions {
  const { tokenHash: _, ...columns } = getTableColumns(sessions)
  const { id: sessionId } = sessions

  return {
    open(session, replaces) {
      return serializable(db, async (tx) => {
        if (replaces !== null) await tx.delete(sessions).where(eq(sessions.tokenHash, replaces))
        await tx.insert(sessions).values(session)
      })
    },

    async find(tokenHash, nowMs) {
      const [found] = await db
        .select({ session: columns, user: USER_COLUMNS })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .where(and(eq(sessions.tokenHash, tokenHash), gt(sessions.expiresAtMs, nowMs), isNull(users.suspendedAtMs)))
      return found ?? null
    },

    async touch(id, times) {
      await db.update(sessions).set(times).where(eq(sessionId, id))
    },

    async list(userId, nowMs) {
      return db
        .select(columns)
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAtMs, nowMs)))
        .orderBy(desc(sessions.lastSeenAtMs), desc(sessionId))
    },

    async revoke(userId, id) {
      const filter = and(eq(sessions.userId, userId), eq(sessionId, id))
      return (await db.delete(sessions).where(filter).returning({ id: sessionId })).length > 0
    },

    async revokeOthers(userId, keptId) {
      const filter = and(eq(sessions.userId, userId), ne(sessionId, keptId))
      return (await db.delete(sessions).where(filter).returning({ id: sessionId })).length
    },

    async sweep(nowMs) {
      const expired = db
        .select({ id: sessionId })
        .from(sessions)
        .where(lte(sessions.expiresAtMs, nowMs))
        .limit(STEP_ROWS)
      return inSteps(() => db.delete(sessions).where(inArray(sessionId, expired)).returning({ id: sessionId }))
    },
  }
}
