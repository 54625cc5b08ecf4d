import { and, asc, eq, gt, gte, inArray, lt, max, ne, sql, sum } from 'drizzle-orm'
import type { SQLWrapper } from 'drizzle-orm'

import { PLAYGROUND_KEY_ID, type UsageHistory } from '../../core/usage-ports.ts'
import { inSteps, STEP_ROWS } from '../postgres/in-steps.ts'
import { isAmong } from '../postgres/dialect.ts'
import type { Drizzle } from '../postgres/schema.ts'
import { dailyUsage, monthlyUsage } from '../postgres/usage-schema.ts'

export function postgresUsageHistory(db: Drizzle): UsageHistory {
  // `createMonths` of the metering leaves a row of zero when the limit refused the first request of a month.
  const hasUsage = gt(monthlyUsage.used, 0)

  return {
    async used(userIds, month) {
      const { userId, used } = monthlyUsage
      const rows = await db
        .select({ userId, used })
        .from(monthlyUsage)
        .where(and(isAmong(userId, userIds), eq(monthlyUsage.month, month), hasUsage))
      return new Map(rows.map((row) => [row.userId, row.used]))
    },

    async keysOf(userIds, month) {
      const { userId, keyId, day, successes, lastUsedAtMs } = dailyUsage
      const successesOfMonth = sql`coalesce(sum(${successes}) FILTER (WHERE substr(${day}, 1, 7) = ${month}), 0)`
      const rows = await db
        .select({ keyId, successes: successesOfMonth.mapWith(Number), lastUsedAtMs: max(lastUsedAtMs) })
        .from(dailyUsage)
        .where(and(isAmong(userId, userIds), ne(keyId, PLAYGROUND_KEY_ID)))
        .groupBy(userId, keyId)
      return new Map(rows.map((row) => [row.keyId, { successes: row.successes, lastUsedAtMs: row.lastUsedAtMs! }]))
    },

    async months(id) {
      const { userId, month, used } = monthlyUsage
      return db
        .select({ month, used })
        .from(monthlyUsage)
        .where(and(eq(userId, id), hasUsage))
        .orderBy(asc(month))
    },

    async days(id, key, sinceDay) {
      const { userId, keyId, day, successes, cacheHits, failures } = dailyUsage
      const filter = and(eq(userId, id), key === null ? undefined : eq(keyId, key), gte(day, sinceDay))
      return (
        db
          .select({
            day,
            successes: sum(successes).mapWith(Number),
            cacheHits: sum(cacheHits).mapWith(Number),
            failures: sum(failures).mapWith(Number),
          })
          .from(dailyUsage)
          .where(filter)
          .groupBy(day)
          // A day on which every request was abandoned has a row, for the last use of its key, but no requests.
          .having(sql`sum(${successes}) + sum(${failures}) > 0`)
          .orderBy(asc(day))
      )
    },

    async total(wanted) {
      const { day, successes, cacheHits, failures } = dailyUsage
      const sumOf = (column: SQLWrapper) => sql`coalesce(sum(${column}), 0)`.mapWith(Number)
      const [sums] = await db
        .select({ successes: sumOf(successes), cacheHits: sumOf(cacheHits), failures: sumOf(failures) })
        .from(dailyUsage)
        .where(eq(day, wanted))
      return { day: wanted, ...sums! }
    },

    async sweepDays(before) {
      const { userId, keyId, day } = dailyUsage
      const isOf = sql`(${userId}, ${keyId}, ${day})`
      const old = db.select({ userId, keyId, day }).from(dailyUsage).where(lt(day, before)).limit(STEP_ROWS)
      return inSteps(() => db.delete(dailyUsage).where(inArray(isOf, old)).returning({ day }))
    },
  }
}
