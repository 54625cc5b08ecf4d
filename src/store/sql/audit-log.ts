import { desc, eq, lt } from 'drizzle-orm'

import type { AuditLog, AuditOf } from '../../core/accounts/audit-log.ts'
import { type Dialect, type Drizzle, run, type Steps } from './dialect.ts'
import type { AccountTables } from './tables.ts'

/** Writes the entry in the transaction of the change. Without `audit`, writes nothing. */
export function* recordAudit<Change>(
  tx: Drizzle,
  { auditLog }: AccountTables,
  change: Change,
  audit: AuditOf<Change> | undefined,
): Steps<void> {
  if (audit) yield* run(tx.insert(auditLog).values(audit(change)))
}

/** Writes the entry if rows have changed. Returns whether rows have changed. */
export function* recordIfChanged(
  tx: Drizzle,
  tables: AccountTables,
  changed: readonly unknown[],
  audit: AuditOf | undefined,
): Steps<boolean> {
  if (changed.length > 0) yield* recordAudit(tx, tables, undefined, audit)
  return changed.length > 0
}

export function sqlAuditLog({ db, tables: { auditLog }, sweep }: Dialect<AccountTables>): AuditLog {
  return {
    async record(entry) {
      await db.insert(auditLog).values(entry)
    },

    async list({ userId, offset, limit }) {
      const filter = userId === undefined ? undefined : eq(auditLog.userId, userId)
      const newestFirst = db.select().from(auditLog).where(filter).orderBy(desc(auditLog.atMs), desc(auditLog.id))
      const page = newestFirst.limit(limit).offset(offset)
      const [entries, total] = await Promise.all([page, db.$count(auditLog, filter)])
      return { entries, total }
    },

    sweep: (beforeMs) => sweep(auditLog, lt(auditLog.atMs, beforeMs)),
  }
}
