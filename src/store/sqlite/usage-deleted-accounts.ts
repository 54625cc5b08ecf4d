import { and, eq, inArray, lt, max, sql } from 'drizzle-orm'

import type { DeletedAccountUsage } from '../../core/usage-ports.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import type { Drizzle } from '../sql/tables.ts'
import { dailyUsage, deletedAccountUsage, monthlyUsage } from '../sql/usage-tables.ts'

export function sqliteDeletedAccountUsage(db: Drizzle): DeletedAccountUsage {
  return {
    async archive(userId, hashes, month) {
      db.transaction(
        (tx) => {
          const isUserMonth = and(eq(monthlyUsage.userId, userId), eq(monthlyUsage.month, month))
          const used = tx.select({ used: monthlyUsage.used }).from(monthlyUsage).where(isUserMonth).get()?.used ?? 0
          for (const personHash of used > 0 ? hashes : []) {
            // The maximum, not the sum: after `restore`, the usage of the new account includes the stored one.
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

    async restore(userId, hashes, month) {
      db.transaction(
        (tx) => {
          // The stored rows are not deleted, because the account may be deleted again.
          const isOfPerson = and(
            inArray(deletedAccountUsage.personHash, [...hashes]),
            eq(deletedAccountUsage.month, month),
          )
          const stored = tx
            .select({ used: max(deletedAccountUsage.used) })
            .from(deletedAccountUsage)
            .where(isOfPerson)
            .get()
          if (!stored?.used) return
          tx.insert(monthlyUsage)
            .values({ userId, month, used: stored.used })
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
