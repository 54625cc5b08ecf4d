import { and, eq, sql } from 'drizzle-orm'

import type { DailyUsage, Metering, Usage, UsageBatch } from '../../core/usage/ports.ts'
import { sqlDeletedAccountUsage } from '../sql/usage-deleted-accounts.ts'
import {
  type BatchRows,
  type Granted,
  type MonthRow,
  resultsOf,
  rowsOf,
  type RunRow,
  type SettlementRow,
} from '../sql/usage-batch.ts'
import { sqlUsageHistory } from '../sql/usage-history.ts'
import { compilerOf, type DrizzleDatabase } from './compiled.ts'
import { placeholders, sqliteDialect } from './dialect.ts'
import * as schema from './usage-schema.ts'

const { dailyUsage, monthlyUsage } = schema

/** Amounts to add to a row of `daily_usage`. */
interface Day extends DailyUsage {
  userId: string
  keyId: string
  lastUsedAtMs: number
}

/** The days of settlements and of charged requests, summed so that all requests of a key on a day take one statement. */
function daysOf({ months, runs, requests }: BatchRows, settled: readonly SettlementRow[], granted: readonly Granted[]) {
  const charged = requests.flatMap(({ r, place, key_id, day, at }): SettlementRow[] => {
    const isCharged = day !== null && at !== null && place <= granted[r]![1]
    return isCharged ? [{ m: runs[r]!.m, key_id, day, at, successes: 1, cache_hits: 1, failures: 0 }] : []
  })
  const days = new Map<string, Day>()
  for (const { m, key_id: keyId, day, at, successes, cache_hits, failures } of [...settled, ...charged]) {
    const { user_id: userId } = months[m]!
    const none = { successes: 0, cacheHits: 0, failures: 0, lastUsedAtMs: at }
    const row = days.getOrInsertComputed(`${day} ${userId} ${keyId}`, () => ({ userId, keyId, day, ...none }))
    row.successes += successes
    row.cacheHits += cache_hits
    row.failures += failures
    row.lastUsedAtMs = Math.max(row.lastUsedAtMs, at)
  }
  return days.values()
}

function sqliteMetering(db: DrizzleDatabase): Metering {
  const compiled = compilerOf(db)
  const { user_id: userId, month, used } = placeholders('user_id', 'month', 'used')
  const isUserMonth = and(eq(monthlyUsage.userId, userId), eq(monthlyUsage.month, month))

  // Takes all `used` units or none: if the units exceed the limit, no row is returned.
  const take = compiled<{ used: number }>(
    db
      .insert(monthlyUsage)
      .values({ userId, month, used })
      .onConflictDoUpdate({
        target: [monthlyUsage.userId, monthlyUsage.month],
        set: { used: sql`${monthlyUsage.used} + excluded.used` },
        setWhere: sql`${monthlyUsage.used} + excluded.used <= ${sql.placeholder('limit')}`,
      })
      .returning({ used: monthlyUsage.used }),
  )

  const read = compiled<{ used: number }>(db.select({ used: monthlyUsage.used }).from(monthlyUsage).where(isUserMonth))

  const releaseUnits = compiled<{ used: number }>(
    db
      .update(monthlyUsage)
      .set({ used: sql`max(0, ${monthlyUsage.used} - ${sql.placeholder('released')})` })
      .where(isUserMonth)
      .returning({ used: monthlyUsage.used }),
  )

  const count = compiled(
    db
      .insert(dailyUsage)
      .values(placeholders('userId', 'keyId', 'day', 'lastUsedAtMs', 'successes', 'cacheHits', 'failures'))
      .onConflictDoUpdate({
        target: [dailyUsage.userId, dailyUsage.keyId, dailyUsage.day],
        set: {
          successes: sql`${dailyUsage.successes} + excluded.successes`,
          cacheHits: sql`${dailyUsage.cacheHits} + excluded.cache_hits`,
          failures: sql`${dailyUsage.failures} + excluded.failures`,
          lastUsedAtMs: sql`max(${dailyUsage.lastUsedAtMs}, excluded.last_used_at)`,
        },
      }),
  )

  /** Takes as many of the wanted units as the limit allows. */
  function takeUnits(userMonth: MonthRow, { wanted, limit }: RunRow): Granted {
    const all = wanted <= limit ? take.get({ ...userMonth, used: wanted, limit }) : null
    if (all) return [all.used - wanted, wanted]
    const before = read.get({ ...userMonth })?.used ?? 0
    const taken = Math.max(0, limit - before)
    if (taken > 0) take.get({ ...userMonth, used: taken, limit })
    return [before, taken]
  }

  // Prepared once, because a transaction of drizzle prepares its statement for each call.
  const applyAll = db.$client.transaction((batch: UsageBatch) => {
    const rows = rowsOf(batch)
    const { months, runs, settlements } = rows
    // A reserved unit has a row. If there is no row, the user was deleted in the meantime.
    const isKnown = months.map((row) => row.settled > 0 && releaseUnits.get({ ...row }) !== null)
    const granted = runs.map((run) => takeUnits(months[run.m]!, run))
    const settled = settlements.filter(({ m }) => isKnown[m])
    for (const day of daysOf(rows, settled, granted)) count.run({ ...day })
    return resultsOf(rows, granted)
  })

  return { apply: async (batch) => applyAll.immediate(batch) }
}

export function sqliteUsage(db: DrizzleDatabase): Usage {
  const dialect = sqliteDialect(db, schema)
  return { ...sqliteMetering(db), ...sqlUsageHistory(dialect), ...sqlDeletedAccountUsage(dialect) }
}
