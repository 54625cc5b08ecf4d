import { count, desc, eq, lt } from 'drizzle-orm'

import type { AuditLog } from '../../core/accounts/audit-log.ts'
import type { Dialect } from './dialect.ts'
import type { AccountTables } from './tables.ts'

export function sqlAuditLog({ db, tables: { auditLog }, sweep }: Dialect<AccountTables>): AuditLog {
  return {
    async append(entry) {
      await db.insert(auditLog).values(entry)
    },

    async list({ userId, offset, limit }) {
      const filter = userId === undefined ? undefined : eq(auditLog.userId, userId)
      const newestFirst = db.select().from(auditLog).where(filter).orderBy(desc(auditLog.atMs), desc(auditLog.id))
      const [entries, [counted]] = await Promise.all([
        newestFirst.limit(limit).offset(offset),
        db.select({ total: count() }).from(auditLog).where(filter),
      ])
      return { entries, total: counted!.total }
    },

    sweep: (beforeMs) => sweep(auditLog, lt(auditLog.atMs, beforeMs)),
  }
}
