import { and, asc, eq, gt, gte, lt, max, ne, sql, type SQLWrapper } from 'drizzle-orm'

import { dayOf } from '../../core/period.ts'
import { PLAYGROUND_KEY_ID, type UsageHistory } from '../../core/usage/ports.ts'
import type { Dialect } from './dialect.ts'
import type { UsageTables } from './usage-tables.ts'

export function sqlUsageHistory({ db, tables, isAmong, sweep }: Dialect<UsageTables>): UsageHistory {
  const { dailyUsage, monthlyUsage } = tables
  // A month has a row of zero when all its requests failed, and in PostgreSQL when the limit refused the first request.
  const hasUsage = gt(monthlyUsage.used, 0)

  const sumOf = (column: SQLWrapper) => sql`coalesce(sum(${column}), 0)`.mapWith(Number)
  const sums = {
    successes: sumOf(dailyUsage.successes),
    cacheHits: sumOf(dailyUsage.cacheHits),
    failures: sumOf(dailyUsage.failures),
  }

  return {
    async used(userIds, month) {
      const { userId, used } = monthlyUsage
      const isWanted = and(isAmong(userId, userIds), eq(monthlyUsage.month, month), hasUsage)
      const rows = await db.select({ userId, used }).from(monthlyUsage).where(isWanted)
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
      return new Map(
        rows.map((row) => [row.keyId, { successes: row.successes, lastUsedAtMs: row.lastUsedAtMs || null }]),
      )
    },

    async months(id) {
      const { userId, month, used } = monthlyUsage
      const isWanted = and(eq(userId, id), hasUsage)
      return db.select({ month, used }).from(monthlyUsage).where(isWanted).orderBy(asc(month))
    },

    async days(id, key, sinceDay) {
      const { userId, keyId, day } = dailyUsage
      const filter = and(eq(userId, id), key === null ? undefined : eq(keyId, key), gte(day, sinceDay))
      // A day on which every request was abandoned has a row, for the last use of its key, but no requests.
      const hasRequests = sql`${sums.successes} + ${sums.failures} > 0`
      const days = db
        .select({ day, ...sums })
        .from(dailyUsage)
        .where(filter)
        .groupBy(day)
      return days.having(hasRequests).orderBy(asc(day))
    },

    async total(day) {
      const [total] = await db.select(sums).from(dailyUsage).where(eq(dailyUsage.day, day))
      return { day, ...total! }
    },

    async addFailures(rejected) {
      if (rejected.length === 0) return
      const { userId, keyId, day, failures } = dailyUsage
      const rows = rejected.map(({ count, lastAtMs, ...key }) => {
        return { ...key, successes: 0, cacheHits: 0, failures: count, day: dayOf(lastAtMs), lastUsedAtMs: 0 }
      })
      const added = { failures: sql`${failures} + excluded.failures` }
      await db
        .insert(dailyUsage)
        .values(rows)
        .onConflictDoUpdate({ target: [userId, keyId, day], set: added })
    },

    sweepDays: (before) => sweep(dailyUsage, lt(dailyUsage.day, before)),
  }
}
