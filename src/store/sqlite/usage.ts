import { and, asc, eq, gte, lt, sql } from 'drizzle-orm'

import { dayOf } from '../../core/period.ts'
import type { Ending, Usage } from '../../core/ports.ts'
import { apiKeys, dailyUsage, monthlyUsage, type Drizzle } from './schema.ts'

/** What each ending adds to the key's day. */
const DAILY: Record<Exclude<Ending, 'abandoned'>, { answers: number; cacheHits: number; failures: number }> = {
  answered_fresh: { answers: 1, cacheHits: 0, failures: 0 },
  answered_from_cache: { answers: 1, cacheHits: 1, failures: 0 },
  failed: { answers: 0, cacheHits: 0, failures: 1 },
}

export function sqliteUsage(db: Drizzle): Usage {
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

  const countDay = db
    .insert(dailyUsage)
    .values({
      keyId: sql.placeholder('keyId'),
      day: sql.placeholder('day'),
      answers: sql.placeholder('answers'),
      cacheHits: sql.placeholder('cacheHits'),
      failures: sql.placeholder('failures'),
    })
    .onConflictDoUpdate({
      target: [dailyUsage.keyId, dailyUsage.day],
      set: {
        answers: sql`${dailyUsage.answers} + excluded.answers`,
        cacheHits: sql`${dailyUsage.cacheHits} + excluded.cache_hits`,
        failures: sql`${dailyUsage.failures} + excluded.failures`,
      },
    })
    .prepare()

  const noteUse = db
    .update(apiKeys)
    .set({ lastUsedAtMs: sql`${sql.placeholder('atMs')}` })
    .where(eq(apiKeys.id, sql.placeholder('keyId')))
    .prepare()

  const used = async (userId: string, month: string) => read.get({ userId, month })?.used ?? 0

  return {
    async reserve({ userId, month }, limit) {
      const taken = limit > 0 ? take.get({ userId, month, limit }) : undefined
      return taken ? { reserved: true, used: taken.used } : { reserved: false, used: await used(userId, month) }
    },

    async settle({ userId, keyId, month }, ending, atMs) {
      db.transaction(
        () => {
          if (ending === 'failed' || ending === 'abandoned') giveBack.run({ userId, month })
          if (ending !== 'abandoned') countDay.run({ keyId, day: dayOf(atMs), ...DAILY[ending] })
          noteUse.run({ keyId, atMs })
        },
        { behavior: 'immediate' },
      )
    },

    used,

    async daily(keyId, sinceDay) {
      const { day, answers, cacheHits, failures } = dailyUsage
      return db
        .select({ day, answers, cacheHits, failures })
        .from(dailyUsage)
        .where(and(eq(dailyUsage.keyId, keyId), gte(day, sinceDay)))
        .orderBy(asc(day))
        .all()
    },
  }
}
