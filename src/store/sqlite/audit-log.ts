import { count, desc, eq, inArray, lt } from 'drizzle-orm'

import type { AuditLog } from '../../core/audit-log.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import { auditLog, type Drizzle } from '../sql/tables.ts'

export function sqliteAuditLog(db: Drizzle): AuditLog {
  return {
    async append(entry) {
      db.insert(auditLog).values(entry).run()
    },

    async list({ userId, offset, limit }) {
      const filter = userId === undefined ? undefined : eq(auditLog.userId, userId)
      const entries = db
        .select()
        .from(auditLog)
        .where(filter)
        .orderBy(desc(auditLog.atMs), desc(auditLog.id))
        .limit(limit)
        .offset(offset)
        .all()
      const { total } = db.select({ total: count() }).from(auditLog).where(filter).get()!
      return { entries, total }
    },

    async sweep(beforeMs) {
      const { id } = auditLog
      const old = db.select({ id }).from(auditLog).where(lt(auditLog.atMs, beforeMs)).limit(STEP_ROWS)
      return inSteps(() => db.delete(auditLog).where(inArray(id, old)).returning({ id }).all().length)
    },
  }
}
