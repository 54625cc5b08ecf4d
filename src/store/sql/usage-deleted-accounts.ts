import { and, asc, eq, lt, max } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import type { DeletedAccountUsage } from '../../core/usage/ports.ts'
import { type Dialect, type Drizzle, run, type Steps } from './dialect.ts'
import { higherOf, type UsageTables } from './usage-tables.ts'

/** @param reservations the table of reserved units, if the database has one */
export function sqlDeletedAccountUsage(
  { db, tables, isAmong, lockRows, sweep, withLocks }: Dialect<UsageTables>,
  reservations: readonly (SQLiteTable & { userId: SQLiteColumn })[] = [],
): DeletedAccountUsage {
  const { dailyUsage, deletedAccountUsage, monthlyUsage } = tables

  function* keep(tx: Drizzle, userId: string, hashes: readonly string[], month: string): Steps<void> {
    const ofUser = tx.select().from(monthlyUsage).where(eq(monthlyUsage.userId, userId))
    // The rows are locked, so that a concurrent batch is either counted or finds no row to update.
    const months = yield* run(lockRows(ofUser.orderBy(asc(monthlyUsage.month)), monthlyUsage))
    const used = months.find((row) => row.month === month)?.used ?? 0
    if (used === 0 || hashes.length === 0) return
    const rows = [...new Set(hashes)].toSorted().map((personHash) => ({ personHash, month, used }))
    // The maximum, not the sum: after `restore`, the usage of the new account includes the stored usage.
    const set = { used: higherOf(deletedAccountUsage.used) }
    const target = [deletedAccountUsage.personHash, deletedAccountUsage.month]
    yield* run(tx.insert(deletedAccountUsage).values(rows).onConflictDoUpdate({ target, set }))
  }

  return {
    keep: (userId, hashes, month) => withLocks((tx) => keep(tx, userId, hashes, month)),

    archive(userId, hashes, month) {
      return withLocks(function* (tx) {
        yield* keep(tx, userId, hashes, month)
        for (const table of [monthlyUsage, dailyUsage, ...reservations]) {
          yield* run(tx.delete(table).where(eq(table.userId, userId)))
        }
      })
    },

    async restore(userId, hashes, month) {
      // The stored rows are not deleted, because the account may be deleted again.
      const [stored] = await db
        .select({ used: max(deletedAccountUsage.used) })
        .from(deletedAccountUsage)
        .where(and(isAmong(deletedAccountUsage.personHash, hashes), eq(deletedAccountUsage.month, month)))
      if (!stored?.used) return
      const set = { used: higherOf(monthlyUsage.used) }
      const target = [monthlyUsage.userId, monthlyUsage.month]
      await db.insert(monthlyUsage).values({ userId, month, used: stored.used }).onConflictDoUpdate({ target, set })
    },

    sweep: (month) => sweep(deletedAccountUsage, lt(deletedAccountUsage.month, month)),
  }
}
