import { and, asc, eq, gte, inArray, lt, max, ne, sql, sum } from 'drizzle-orm'
import type { SQL, SQLWrapper } from 'drizzle-orm'

import { PLAYGROUND_KEY_ID, type UsageHistory } from '../../core/usage-ports.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import type { Drizzle } from '../sql/tables.ts'
import { dailyUsage, monthlyUsage } from '../sql/usage-tables.ts'

/** Uses a single parameter, because SQLite limits the number of parameters of a statement. */
const isAmong = (column: SQLWrapper, values: readonly string[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`

export function sqliteUsageHistory(db: Drizzle): UsageHistory {
  return {
    async used(userIds, month) {
      const { userId, used } = monthlyUsage
      const rows = db
        .select({ userId, used })
        .from(monthlyUsage)
        .where(and(isAmong(userId, userIds), eq(monthlyUsage.month, month)))
        .all()
      return new Map(rows.map((row) => [row.userId, row.used]))
    },

    async keysOf(userIds, month) {
      const { userId, keyId, day, successes, lastUsedAtMs } = dailyUsage
      const isOfMonth = sql`substr(${day}, 1, 7) = ${month}`
      const rows = db
        .select({
          keyId,
          successes: sql<number>`coalesce(sum(${successes}) FILTER (WHERE ${isOfMonth}), 0)`,
          lastUsedAtMs: max(lastUsedAtMs),
        })
        .from(dailyUsage)
        .where(and(isAmong(userId, userIds), ne(keyId, PLAYGROUND_KEY_ID)))
        .groupBy(userId, keyId)
        .all()
      return new Map(rows.map((row) => [row.keyId, { successes: row.successes, lastUsedAtMs: row.lastUsedAtMs! }]))
    },

    async months(id) {
      const { userId, month, used } = monthlyUsage
      return db.select({ month, used }).from(monthlyUsage).where(eq(userId, id)).orderBy(asc(month)).all()
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
          .all()
      )
    },

    async total(wanted) {
      const { day, successes, cacheHits, failures } = dailyUsage
      const sumOf = (column: SQLWrapper) => sql<number>`coalesce(sum(${column}), 0)`
      const sums = db
        .select({ successes: sumOf(successes), cacheHits: sumOf(cacheHits), failures: sumOf(failures) })
        .from(dailyUsage)
        .where(eq(day, wanted))
        .get()!
      return { day: wanted, ...sums }
    },

    async sweepDays(before) {
      const { day } = dailyUsage
      const rowid = sql`${dailyUsage}.rowid`
      const old = db.select({ rowid }).from(dailyUsage).where(lt(day, before)).limit(STEP_ROWS)
      return inSteps(() => db.delete(dailyUsage).where(inArray(rowid, old)).returning({ day }).all().length)
    },
  }
}
