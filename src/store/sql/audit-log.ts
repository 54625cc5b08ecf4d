import { count, desc, eq, inArray, lt } from 'drizzle-orm'

import type { AuditLog } from '../../core/audit-log.ts'
import { inSteps, STEP_ROWS } from '../postgres/in-steps.ts'
import { auditLog, type Drizzle } from '../postgres/schema.ts'

export function postgresAuditLog(db: Drizzle): AuditLog {
  return {
    async append(entry) {
      await db.insert(auditLog).values(entry)
    },

    async list({ userId, offset, limit }) {
      const filter = userId === undefined ? undefined : eq(auditLog.userId, userId)
      const newestFirst = [desc(auditLog.atMs), desc(auditLog.id)]
      const [entries, [counted]] = await Promise.all([
        db
          .select()
          .from(auditLog)
          .where(filter)
          .orderBy(...newestFirst)
          .limit(limit)
          .offset(offset),
        db.select({ total: count() }).from(auditLog).where(filter),
      ])
      return { entries, total: counted!.total }
    },

    async sweep(beforeMs) {
      const { id } = auditLog
      const old = db.select({ id }).from(auditLog).where(lt(auditLog.atMs, beforeMs)).limit(STEP_ROWS)
      return inSteps(() => db.delete(auditLog).where(inArray(id, old)).returning({ id }))
    },
  }
}
