import { and, eq, inArray, lt, max, sql } from 'drizzle-orm'

import type { DeletedAccountUsage } from '../../core/usage-ports.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import type { Drizzle } from './schema.ts'
import { dailyUsage, deletedAccountUsage, monthlyUsage } from './usage-schema.ts'

export function sqliteDeletedAccountUsage(db: Drizzle): DeletedAccountUsage {
  return {
    async forget(userId, hashes, month) {
      db.transaction(
        (tx) => {
          const isUserMonth = and(eq(monthlyUsage.userId, userId), eq(monthlyUsage.month, month))
          const used = tx.select({ used: monthlyUsage.used }).from(monthlyUsage).where(isUserMonth).get()?.used ?? 0
          for (const personHash of used > 0 ? hashes : []) {
            // The larger, not the sum: what somebody who came back has used includes what was kept of them.
            tx.insert(deletedAccountUsage)
              .values({ personHash, month, used })
              .onConflictDoUpdate({
                target: [deletedAccountUsage.personHash, deletedAccountUsage.month],
                set: { used: sql`max(${deletedAccountUsage.used}, excluded.used)` },
              })
              .run()
          }
          tx.delete(monthlyUsage).where(eq(monthlyUsage.userId, userId)).run()
          tx.delete(dailyUsage).where(eq(dailyUsage.userId, userId)).run()
        },
        { behavior: 'immediate' },
      )
    },

    async resume(userId, hashes, month) {
      db.transaction(
        (tx) => {
          // What was kept stays: the account may be deleted again.
          const isTheirs = and(
            inArray(deletedAccountUsage.personHash, [...hashes]),
            eq(deletedAccountUsage.month, month),
          )
          const kept = tx
            .select({ used: max(deletedAccountUsage.used) })
            .from(deletedAccountUsage)
            .where(isTheirs)
            .get()
          if (!kept?.used) return
          tx.insert(monthlyUsage)
            .values({ userId, month, used: kept.used })
            .onConflictDoUpdate({
              target: [monthlyUsage.userId, monthlyUsage.month],
              set: { used: sql`max(${monthlyUsage.used}, excluded.used)` },
            })
            .run()
        },
        { behavior: 'immediate' },
      )
    },

    async sweep(month) {
      const { personHash } = deletedAccountUsage
      const rowid = sql`${deletedAccountUsage}.rowid`
      const old = db
        .select({ rowid })
        .from(deletedAccountUsage)
        .where(lt(deletedAccountUsage.month, month))
        .limit(STEP_ROWS)
      return inSteps(
        () => db.delete(deletedAccountUsage).where(inArray(rowid, old)).returning({ personHash }).all().length,
      )
    },
  }
}
