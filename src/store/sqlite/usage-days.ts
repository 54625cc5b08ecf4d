import { and, asc, type Column, eq, gte, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'

import type { DailyUsage, Slot, Usage } from '../../core/usage-ports.ts'
import { apiKeys, dailyUsage, playgroundUsage, type Drizzle } from './schema.ts'

/** Requests by day: those of each key, and those of each user's playground. */
export interface UsageDays extends Pick<Usage, 'daily' | 'dailyOfUser'> {
  /** Adds to the day of the key, or of the user's playground, which exists. */
  count(slot: Slot, usage: DailyUsage): void
}

type DayTable = typeof dailyUsage | typeof playgroundUsage

const columnsOf = ({ day, answers, cacheHits, failures }: DayTable) => ({ day, answers, cacheHits, failures })

const COUNTED = {
  day: sql.placeholder('day'),
  answers: sql.placeholder('answers'),
  cacheHits: sql.placeholder('cacheHits'),
  failures: sql.placeholder('failures'),
}

const addedUp = ({ answers, cacheHits, failures }: DayTable) => ({
  answers: sql`${answers} + excluded.answers`,
  cacheHits: sql`${cacheHits} + excluded.cache_hits`,
  failures: sql`${failures} + excluded.failures`,
})

export function sqliteUsageDays(db: Drizzle): UsageDays {
  const countForKey = db
    .insert(dailyUsage)
    .values({ keyId: sql.placeholder('keyId'), ...COUNTED })
    .onConflictDoUpdate({ target: [dailyUsage.keyId, dailyUsage.day], set: addedUp(dailyUsage) })
    .prepare()

  const countForPlayground = db
    .insert(playgroundUsage)
    .values({ userId: sql.placeholder('userId'), ...COUNTED })
    .onConflictDoUpdate({ target: [playgroundUsage.userId, playgroundUsage.day], set: addedUp(playgroundUsage) })
    .prepare()

  return {
    count({ userId, keyId }, usage) {
      if (keyId === null) countForPlayground.run({ userId, ...usage })
      else countForKey.run({ keyId, ...usage })
    },

    async daily(keyId, sinceDay) {
      return db
        .select(columnsOf(dailyUsage))
        .from(dailyUsage)
        .where(and(eq(dailyUsage.keyId, keyId), gte(dailyUsage.day, sinceDay)))
        .orderBy(asc(dailyUsage.day))
        .all()
    },

    async dailyOfUser(userId, sinceDay) {
      const all = unionAll(
        db
          .select(columnsOf(dailyUsage))
          .from(dailyUsage)
          .innerJoin(apiKeys, eq(apiKeys.id, dailyUsage.keyId))
          .where(and(eq(apiKeys.userId, userId), gte(dailyUsage.day, sinceDay))),
        db
          .select(columnsOf(playgroundUsage))
          .from(playgroundUsage)
          .where(and(eq(playgroundUsage.userId, userId), gte(playgroundUsage.day, sinceDay))),
      ).as('requests')
      const sum = (column: Column) => sql<number>`sum(${column})`
      return db
        .select({
          day: all.day,
          answers: sum(all.answers),
          cacheHits: sum(all.cacheHits),
          failures: sum(all.failures),
        })
        .from(all)
        .groupBy(all.day)
        .orderBy(asc(all.day))
        .all()
    },
  }
}
