import { and, eq, lt, max, sql } from 'drizzle-orm'

import type { DeletedAccountUsage } from '../../core/usage-ports.ts'
import { isAmong } from './is-among.ts'
import type { Drizzle } from './schema.ts'
import { serializable } from './transaction.ts'
import { dailyUsage, deletedAccountUsage, monthlyUsage, usageReservations } from './usage-schema.ts'

export function postgresDeletedAccountUsage(db: Drizzle): DeletedAccountUsage {
  return {
    forget(userId, hashes, month) {
      return serializable(db, async (tx) => {
        const isUserMonth = and(eq(monthlyUsage.userId, userId), eq(monthlyUsage.month, month))
        const [row] = await tx.select({ used: monthlyUsage.used }).from(monthlyUsage).where(isUserMonth)
        const used = row?.used ?? 0
        if (used > 0 && hashes.length > 0) {
          // The larger, not the sum: what somebody who came back has used includes what was kept of them.
          await tx
            .insert(deletedAccountUsage)
            .values([...new Set(hashes)].map((personHash) => ({ personHash, month, used })))
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

    resume(userId, hashes, month) {
      return serializable(db, async (tx) => {
        // What was kept stays: the account may be deleted again.
        const [kept] = await tx
          .select({ used: max(deletedAccountUsage.used) })
          .from(deletedAccountUsage)
          .where(and(isAmong(deletedAccountUsage.personHash, hashes), eq(deletedAccountUsage.month, month)))
        if (!kept?.used) return
        await tx
          .insert(monthlyUsage)
          .values({ userId, month, used: kept.used })
          .onConflictDoUpdate({
            target: [monthlyUsage.userId, monthlyUsage.month],
            set: { used: sql`greatest(${monthlyUsage.used}, excluded.used)` },
          })
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
