import { and, eq, lt, sql } from 'drizzle-orm'

import { dayOf } from '../../core/period.ts'
import type { Ending, Usage } from '../../core/usage-ports.ts'
import { apiKeys, monthlyUsage, users, type Drizzle } from './schema.ts'
import { sqliteUsageDays } from './usage-days.ts'

/** What each ending adds to the day. */
const DAILY: Record<Exclude<Ending, 'abandoned'>, { answers: number; cacheHits: number; failures: number }> = {
  answered_fresh: { answers: 1, cacheHits: 0, failures: 0 },
  answered_from_cache: { answers: 1, cacheHits: 1, failures: 0 },
  failed: { answers: 0, cacheHits: 0, failures: 1 },
}

export function sqliteUsage(db: Drizzle): Usage {
  const { count, daily, dailyOfUser } = sqliteUsageDays(db)

  const userMonth = and(
    eq(monthlyUsage.userId, sql.placeholder('userId')),
    eq(monthlyUsage.month, sql.placeholder('month')),
  )

  // One statement decides and takes: whoever asks for the last slot at the same moment, in this process or another,
  // finds the row at its limit and gets no row back.
  const take = db
    .insert(monthlyUsage)
    .values({ userId: sql.placeholder('userId'), month: sql.placeholder('month'), used: 1 })
    .onConflictDoUpdate({
      target: [monthlyUsage.userId, monthlyUsage.month],
      set: { used: sql`${monthlyUsage.used} + 1` },
      setWhere: lt(monthlyUsage.used, sql.placeholder('limit')),
    })
    .returning({ used: monthlyUsage.used })
    .prepare()

  const giveBack = db
    .update(monthlyUsage)
    .set({ used: sql`max(0, ${monthlyUsage.used} - 1)` })
    .where(userMonth)
    .prepare()

  const read = db.select({ used: monthlyUsage.used }).from(monthlyUsage).where(userMonth).prepare()

  const noteUse = db
    .update(apiKeys)
    .set({ lastUsedAtMs: sql`${sql.placeholder('atMs')}` })
    .where(eq(apiKeys.id, sql.placeholder('keyId')))
    .returning({ id: apiKeys.id })
    .prepare()

  const findUser = db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.id, sql.placeholder('userId')))
    .prepare()

  const used = async (userId: string, month: string) => read.get({ userId, month })?.used ?? 0

  return {
    async reserve({ userId, month }, limit) {
      const taken = limit > 0 ? take.get({ userId, month, limit }) : undefined
      return taken ? { reserved: true, used: taken.used } : { reserved: false, used: await used(userId, month) }
    },

    async settle(slot, ending, atMs) {
      const { userId, keyId, month } = slot
      db.transaction(
        () => {
          if (ending === 'failed' || ending === 'abandoned') giveBack.run({ userId, month })
          // An account can be deleted while its last requests are under way: then there is nothing left to count them for.
          const isThere = keyId === null ? findUser.get({ userId }) : noteUse.get({ keyId, atMs })
          if (isThere && ending !== 'abandoned') count(slot, { day: dayOf(atMs), ...DAILY[ending] })
        },
        { behavior: 'immediate' },
      )
    },

    used,

    async months(userId) {
      const { month, used: taken } = monthlyUsage
      return db.select({ month, used: taken }).from(monthlyUsage).where(eq(monthlyUsage.userId, userId)).orderBy(month)
    },

    daily,
    dailyOfUser,
  }
}
