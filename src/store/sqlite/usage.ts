import { and, eq, sql } from 'drizzle-orm'

import { dayOf } from '../../core/period.ts'
import {
  COUNTED,
  PLAYGROUND_KEY_ID,
  releasesUnit,
  type DailyUsage,
  type Metering,
  type RequestOutcome,
  type Settlement,
  type Usage,
  type UsageBatch,
  type QuotaUnit,
  type QuotaRequest,
  type QuotaResult,
} from '../../core/usage/ports.ts'
import { sqlDeletedAccountUsage } from '../sql/usage-deleted-accounts.ts'
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

/** The days of one batch, summed so that all requests of a key on a day take one statement. */
class Days {
  readonly rows: Day[] = []
  /** The latest row of each key, or of each user for requests of the playground. */
  readonly #latest = new Map<string, Day>()

  add({ userId, keyId }: QuotaUnit, outcome: RequestOutcome, atMs: number): void {
    const day = dayOf(atMs)
    let row = this.#latest.get(keyId ?? userId)
    if (row?.day !== day || row.userId !== userId) {
      const none = { successes: 0, cacheHits: 0, failures: 0 }
      row = { userId, keyId: keyId ?? PLAYGROUND_KEY_ID, day, ...none, lastUsedAtMs: atMs }
      this.rows.push(row)
      this.#latest.set(keyId ?? userId, row)
    }
    const { successes, cacheHits, failures } = COUNTED[outcome]
    row.successes += successes
    row.cacheHits += cacheHits
    row.failures += failures
    row.lastUsedAtMs = Math.max(row.lastUsedAtMs, atMs)
  }
}

/**
 * Splits the requests of a user by month and limit. These differ only if a month has just begun or the plan has
 * changed.
 */
function splitByQuota(requests: readonly QuotaRequest[], indices: number[]): Iterable<number[]> {
  const { unit, limit } = requests[indices[0]!]!
  const isOne = indices.every((index) => requests[index]!.unit.month === unit.month && requests[index]!.limit === limit)
  if (isOne) return [indices]
  return Map.groupBy(indices, (index) => `${requests[index]!.limit} ${requests[index]!.unit.month}`).values()
}

function sqliteMetering(db: DrizzleDatabase): Metering {
  const compiled = compilerOf(db)
  const { userId, month, used } = placeholders('userId', 'month', 'used')
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
      .set({ used: sql`max(0, ${monthlyUsage.used} - ${sql.placeholder('count')})` })
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

  function settle(settlements: readonly Settlement[], days: Days) {
    for (const group of Map.groupBy(settlements, ({ unit }) => `${unit.month} ${unit.userId}`).values()) {
      const released = group.filter(({ outcome }) => releasesUnit(outcome)).length
      // A reserved unit has a row. If there is no row, the user was deleted in the meantime.
      if (!releaseUnits.get({ ...group[0]!.unit, count: released })) continue
      for (const { unit, outcome, atMs } of group) days.add(unit, outcome, atMs)
    }
  }

  /**
   * Takes as many of the `wanted` units as the limit allows. Returns the number of units taken now, and the number
   * taken before.
   */
  function takeUnits(userMonth: Pick<QuotaUnit, 'userId' | 'month'>, wanted: number, limit: number) {
    const all = wanted <= limit ? take.get({ ...userMonth, used: wanted, limit }) : null
    if (all) return { before: all.used - wanted, taken: wanted }
    const before = read.get({ ...userMonth })?.used ?? 0
    const taken = Math.max(0, limit - before)
    if (taken > 0) take.get({ ...userMonth, used: taken, limit })
    return { before, taken }
  }

  function serve(requests: readonly QuotaRequest[], days: Days): QuotaResult[] {
    const results: QuotaResult[] = []
    for (const ofUser of Map.groupBy(requests.keys(), (index) => requests[index]!.unit.userId).values()) {
      for (const indices of splitByQuota(requests, ofUser)) {
        const { unit: userMonth, limit } = requests[indices[0]!]!
        const { before, taken } = takeUnits(userMonth, indices.length, limit)
        for (const [i, index] of indices.entries()) {
          const { unit, chargedAtMs } = requests[index]!
          const isTaken = i < taken
          results[index] = { taken: isTaken, used: before + (isTaken ? i + 1 : taken) }
          if (isTaken && chargedAtMs !== null) days.add(unit, 'cached', chargedAtMs)
        }
      }
    }
    return results
  }

  // Prepared once, because a transaction of drizzle prepares its statement for each call.
  const applyAll = db.$client.transaction(({ requests, settlements }: UsageBatch) => {
    const days = new Days()
    settle(settlements, days)
    const results = serve(requests, days)
    for (const row of days.rows) count.run({ ...row })
    return results
  })

  return { apply: async (batch) => applyAll.immediate(batch) }
}

export function sqliteUsage(db: DrizzleDatabase): Usage {
  const dialect = sqliteDialect(db, schema)
  return { ...sqliteMetering(db), ...sqlUsageHistory(dialect), ...sqlDeletedAccountUsage(dialect) }
}
