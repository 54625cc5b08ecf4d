import type { Metering, Usage, UsageBatch } from '../../core/usage/ports.ts'
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
import { type DrizzleDatabase, sqliteDialect, type Values } from './dialect.ts'
import * as schema from './usage-schema.ts'

/**
 * The days of settlements and of charged requests, summed so that all requests of a key on a day take one statement.
 */
function daysOf({ months, runs, requests }: BatchRows, settled: readonly SettlementRow[], granted: readonly Granted[]) {
  const charged = requests.flatMap(({ r, place, key_id, day, at }): SettlementRow[] => {
    const isCharged = day !== null && at !== null && place <= granted[r]![1]
    return isCharged ? [{ m: runs[r]!.m, key_id, day, at, successes: 1, cache_hits: 1, failures: 0 }] : []
  })
  const days = new Map<string, SettlementRow & Pick<MonthRow, 'user_id'>>()
  for (const added of [...settled, ...charged]) {
    const { user_id } = months[added.m]!
    const name = `${added.day} ${user_id} ${added.key_id}`
    const none = { successes: 0, cache_hits: 0, failures: 0 }
    const sum = days.getOrInsertComputed(name, () => ({ ...added, user_id, ...none }))
    sum.successes += added.successes
    sum.cache_hits += added.cache_hits
    sum.failures += added.failures
    sum.at = Math.max(sum.at, added.at)
  }
  return days.values()
}

function sqliteMetering({ $client: database }: DrizzleDatabase): Metering {
  // Takes all `wanted` units or none: if the units exceed the limit, no row is returned.
  const take = database.query<{ used: number }, Values>(`
    INSERT INTO monthly_usage (user_id, month, used) VALUES ($user_id, $month, $wanted)
    ON CONFLICT (user_id, month) DO UPDATE SET used = used + excluded.used WHERE used + excluded.used <= $limit
    RETURNING used`)

  const read = database.query<{ used: number }, Values>(
    'SELECT used FROM monthly_usage WHERE user_id = $user_id AND month = $month',
  )

  const release = database.query<{ used: number }, Values>(`
    UPDATE monthly_usage SET used = max(0, used - $released)
    WHERE user_id = $user_id AND month = $month RETURNING used`)

  const count = database.query<unknown, Values>(`
    INSERT INTO daily_usage (user_id, key_id, day, successes, cache_hits, failures, last_used_at)
    VALUES ($user_id, $key_id, $day, $successes, $cache_hits, $failures, $at)
    ON CONFLICT (user_id, key_id, day) DO UPDATE SET
      successes = successes + excluded.successes,
      cache_hits = cache_hits + excluded.cache_hits,
      failures = failures + excluded.failures,
      last_used_at = max(last_used_at, excluded.last_used_at)`)

  /** Takes as many of the wanted units as the limit allows. */
  function takeUnits({ user_id, month }: MonthRow, { wanted, limit }: RunRow): Granted {
    const all = wanted <= limit ? take.get({ user_id, month, wanted, limit }) : null
    if (all) return [all.used - wanted, wanted]
    const before = read.get({ user_id, month })?.used ?? 0
    const taken = Math.max(0, limit - before)
    if (taken > 0) take.get({ user_id, month, wanted: taken, limit })
    return [before, taken]
  }

  // Prepared once, because a transaction of drizzle prepares its statement for each call.
  const applyAll = database.transaction((batch: UsageBatch) => {
    const rows = rowsOf(batch)
    const { months, runs, settlements } = rows
    // A reserved unit has a row. If there is no row, the user was deleted in the meantime.
    const isKnown = months.map((row) => row.settled > 0 && release.get({ ...row }) !== null)
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
