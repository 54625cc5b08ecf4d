import { and, asc, eq, lt, max, sql } from 'drizzle-orm'

import type { DeletedAccountUsage } from '../../core/usage-ports.ts'
import { isAmong } from '../postgres/dialect.ts'
import type { Drizzle } from '../postgres/schema.ts'
import { dailyUsage, deletedAccountUsage, monthlyUsage, usageReservations } from '../postgres/usage-schema.ts'

export function postgresDeletedAccountUsage(db: Drizzle): DeletedAccountUsage {
  return {
    archive(userId, hashes, month) {
      return db.transaction(async (tx) => {
        // Locks the rows, so that a concurrent batch is either counted or finds no row to update.
        const months = await tx
          .select({ month: monthlyUsage.month, used: monthlyUsage.used })
          .from(monthlyUsage)
          .where(eq(monthlyUsage.userId, userId))
          .orderBy(asc(monthlyUsage.month))
          .for('update')
        const used = months.find((row) => row.month === month)?.used ?? 0
        if (used > 0 && hashes.length > 0) {
          // The maximum, not the sum: after `restore`, the usage of the new account includes the stored one.
          await tx
            .insert(deletedAccountUsage)
            .values([...new Set(hashes)].toSorted().map((personHash) => ({ personHash, month, used })))
            .onConflictDoUpdate({
              target: [deletedAccountUsage.personHash, deletedAccountUsage.month],
              set: { used: sql`greatest(${deletedAccountUsage.used}, excluded.used)` },
            })
        }
        await tx.delete(monthlyUsage).where(eq(monthlyUsage.userId, userId))
        await tx.delete(dailyUsage).where(eq(dailyUsage.userId, userId))
        await tx.delete(usageReservations).where(eq(usageReservations.userId, userId))
      })
    },

    async restore(userId, hashes, month) {
      // The stored rows are not deleted, because the account may be deleted again.
      const [stored] = await db
        .select({ used: max(deletedAccountUsage.used) })
        .from(deletedAccountUsage)
        .where(and(isAmong(deletedAccountUsage.personHash, hashes), eq(deletedAccountUsage.month, month)))
      if (!stored?.used) return
      await db
        .insert(monthlyUsage)
        .values({ userId, month, used: stored.used })
        .onConflictDoUpdate({
          target: [monthlyUsage.userId, monthlyUsage.month],
          set: { used: sql`greatest(${monthlyUsage.used}, excluded.used)` },
        })
    },

    async sweep(month) {
      const { personHash } = deletedAccountUsage
      return (
        await db.delete(deletedAccountUsage).where(lt(deletedAccountUsage.month, month)).returning({ personHash })
      ).length
    },
  }
}
