import { sql, type SQL } from 'drizzle-orm'

import type { BatchEffect, BatchRows } from '../sql/usage-batch.ts'
import { json } from './dialect.ts'

/** How long the lease of a process lasts after its last batch. No request takes nearly as long. */
const LEASE = sql.raw("interval '2 minutes'")

export interface BatchId {
  processId: string
  batch: number
}

const tablesOf = ({ months, runs, requests, settlements }: BatchRows): SQL => sql`
  months AS (SELECT * FROM jsonb_to_recordset(${json(months)})
    AS x(m int, user_id text, month text, settled int, released int)),
  runs AS (SELECT * FROM jsonb_to_recordset(${json(runs)}) AS x(r int, m int, step int, wanted int, "limit" bigint)),
  requests AS (SELECT * FROM jsonb_to_recordset(${json(requests)})
    AS x(r int, place int, key_id text, day text, at bigint)),
  settlements AS (SELECT * FROM jsonb_to_recordset(${json(settlements)})
    AS x(m int, key_id text, day text, at bigint, successes int, cache_hits int, failures int))`

/** The changes of a batch to each day: settlements of `granted_months`, and charges of the runs in `granted`. */
const COUNTED_DAYS = sql.raw(`
  SELECT user_id, key_id, day, sum(successes) AS successes, sum(cache_hits) AS cache_hits, sum(failures) AS failures,
    max(at) AS at
  FROM (
    SELECT g.user_id, s.key_id, s.day, s.successes, s.cache_hits, s.failures, s.at
    FROM settlements s JOIN granted_months g ON g.m = s.m
    UNION ALL
    SELECT g.user_id, q.key_id, q.day, 1, 1, 0, q.at
    FROM requests q JOIN granted t ON t.r = q.r AND q.place <= t.taken JOIN granted_months g ON g.m = t.m
    WHERE q.at IS NOT NULL
  ) AS counted
  GROUP BY user_id, key_id, day`)

/**
 * Applies a batch in one statement and returns one row with its effect, as `BatchEffect`. Returns no row and changes
 * nothing if the process has no lease, a month with requests has no row, or the batch has already been applied.
 */
export const applyBatch = (rows: BatchRows, { processId, batch }: BatchId): SQL => sql`
WITH RECURSIVE ${tablesOf(rows)},
-- Locks the months, always in the same order, so that batches with common users wait instead of deadlocking. Reading a
-- locked row returns its latest version.
locked AS MATERIALIZED (
  SELECT x.m, u.user_id, u.month, u.used
  FROM months x JOIN monthly_usage u ON u.user_id = x.user_id AND u.month = x.month
  ORDER BY u.user_id, u.month
  FOR UPDATE OF u
),
held AS (
  SELECT l.*, x.settled, x.released, coalesce(o.open, 0) AS open
  FROM locked l JOIN months x ON x.m = l.m
  LEFT JOIN usage_reservations o ON o.process_id = ${processId} AND o.user_id = l.user_id AND o.month = l.month
),
-- A settlement whose reservation was swept takes its unit again, because its response may have been sent.
settled_months AS (
  SELECT *, greatest(0, used - released + greatest(0, settled - open)) AS start FROM held
),
-- The runs of each month in order; step 0 is the start.
granted(m, r, step, before, taken) AS (
  SELECT m, -1, 0, start, 0::bigint FROM settled_months
  UNION ALL
  SELECT g.m, r.r, r.step, g.before + g.taken, greatest(0, least(r.wanted, r."limit" - g.before - g.taken))
  FROM granted g JOIN runs r ON r.m = g.m AND r.step = g.step + 1
),
taken AS (SELECT m, sum(taken) AS units FROM granted GROUP BY m),
reserved AS (
  SELECT g.m, count(*) AS units FROM granted g JOIN requests q ON q.r = g.r AND q.place <= g.taken
  WHERE q.at IS NULL GROUP BY g.m
),
granted_months AS (
  SELECT s.m, s.user_id, s.month, s.used AS used_before, s.start + coalesce(t.units, 0) AS used_after,
    s.open AS open_before, greatest(0, s.open - s.settled) + coalesce(r.units, 0) AS open_after
  FROM settled_months s LEFT JOIN taken t ON t.m = s.m LEFT JOIN reserved r ON r.m = s.m
),
advanced AS (
  UPDATE metering_processes SET batch = ${batch}, leased_until = now() + ${LEASE}, effect = jsonb_build_object(
    'runs', (SELECT coalesce(jsonb_agg(jsonb_build_array(before, taken) ORDER BY r), '[]') FROM granted WHERE step > 0),
    'months', (SELECT coalesce(jsonb_agg(jsonb_build_array(m, used_after - used_before, open_before, open_after)
      ORDER BY m), '[]') FROM granted_months)
  )::text
  WHERE id = ${processId} AND batch = ${batch}::bigint - 1 AND leased_until > now()
    AND (SELECT count(*) FROM granted WHERE step > 0) = (SELECT count(*) FROM runs)
  RETURNING effect
),
used_written AS (
  UPDATE monthly_usage u SET used = g.used_after FROM granted_months g
  WHERE u.user_id = g.user_id AND u.month = g.month AND g.used_after <> g.used_before AND EXISTS (SELECT 1 FROM advanced)
),
reservations_written AS (
  INSERT INTO usage_reservations AS o (process_id, user_id, month, open)
  SELECT ${processId}, user_id, month, open_after FROM granted_months
  WHERE open_after <> open_before AND EXISTS (SELECT 1 FROM advanced)
  ON CONFLICT (process_id, user_id, month) DO UPDATE SET open = excluded.open
),
days_written AS (
  INSERT INTO daily_usage AS d (user_id, key_id, day, successes, cache_hits, failures, last_used_at)
  SELECT * FROM (${COUNTED_DAYS}) AS c WHERE EXISTS (SELECT 1 FROM advanced)
  -- Sorted to prevent deadlocks. The locked months do not cover these rows, because a settlement counts for its own day.
  ORDER BY user_id, key_id, day
  ON CONFLICT (user_id, key_id, day) DO UPDATE SET
    successes = d.successes + excluded.successes,
    cache_hits = d.cache_hits + excluded.cache_hits,
    failures = d.failures + excluded.failures,
    last_used_at = greatest(d.last_used_at, excluded.last_used_at)
)
SELECT effect FROM advanced`

/** Creates the rows that `applyBatch` needs, one for each month with requests. */
export const createMonths = ({ months, runs }: BatchRows): SQL => {
  const wanted = new Set(runs.map(({ m }) => m))
  return sql`
INSERT INTO monthly_usage (user_id, month, used)
SELECT user_id, month, 0 FROM jsonb_to_recordset(${json(months.filter(({ m }) => wanted.has(m)))})
  AS x(user_id text, month text)
ORDER BY user_id, month
ON CONFLICT (user_id, month) DO NOTHING`
}

/**
 * Extends the lease of the process and sets its last batch to the number before this batch. The row can have another
 * number after the database was restored, or after a failover to a standby without the last batches.
 */
export const extendLease = ({ processId, batch }: BatchId): SQL => sql`
INSERT INTO metering_processes (id, batch, leased_until) VALUES (${processId}, ${batch - 1}, now() + ${LEASE})
ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, effect = NULL, leased_until = excluded.leased_until`

/**
 * Uses up the number of an unconfirmed batch, so that the batch can no longer be applied. Returns no row if the batch
 * was already applied.
 */
export const voidBatch = ({ processId, batch }: BatchId): SQL => sql`
UPDATE metering_processes SET batch = ${batch}, effect = NULL
WHERE id = ${processId} AND batch = ${batch}::bigint - 1 RETURNING id`

/** Reads and clears the effect of the batch. Returns no row if the batch was not applied or is already undone. */
export const takeBatchEffect = ({ processId, batch }: BatchId): SQL => sql`
UPDATE metering_processes p SET effect = NULL
FROM (SELECT id, effect FROM metering_processes WHERE id = ${processId} AND batch = ${batch} FOR UPDATE) AS b
WHERE p.id = b.id AND b.effect IS NOT NULL RETURNING b.effect`

/** Locks these months until the transaction ends, in the order in which `applyBatch` locks them. */
export const lockMonths = (months: SQL): SQL => sql`
SELECT u.user_id FROM monthly_usage u JOIN (${months}) AS x ON u.user_id = x.user_id AND u.month = x.month
ORDER BY u.user_id, u.month FOR UPDATE OF u`

/**
 * Undoes a batch, in one transaction with `takeBatchEffect`. Reservations that a sweep has released in the meantime are
 * restored, so that used and reserved units are the same as before the batch.
 */
export function undoBatch(rows: BatchRows, { runs, months }: BatchEffect, processId: string): SQL[] {
  const changes = months.map(([m, used_change, open_before, open_after]) => {
    const { user_id, month } = rows.months[m]!
    return { m, user_id, month, used_change, open_before, open_after }
  })
  const granted = runs.map(([, taken], r) => ({ r, m: rows.runs[r]!.m, taken }))
  const changed = sql`SELECT * FROM jsonb_to_recordset(${json(changes)})
    AS x(m int, user_id text, month text, used_change bigint, open_before int, open_after int)`
  return [
    lockMonths(changed),
    sql`
UPDATE monthly_usage u SET used = greatest(0, u.used - x.used_change + x.open_after - coalesce(o.open, 0))
FROM (${changed}) AS x LEFT JOIN usage_reservations o
  ON o.process_id = ${processId} AND o.user_id = x.user_id AND o.month = x.month
WHERE u.user_id = x.user_id AND u.month = x.month`,
    // A user who was deleted in the meantime has no row.
    sql`
INSERT INTO usage_reservations (process_id, user_id, month, open)
SELECT ${processId}, x.user_id, x.month, x.open_before
FROM (${changed}) AS x JOIN monthly_usage u ON u.user_id = x.user_id AND u.month = x.month
ON CONFLICT (process_id, user_id, month) DO UPDATE SET open = excluded.open`,
    sql`
WITH ${tablesOf(rows)},
granted AS (SELECT * FROM jsonb_to_recordset(${json(granted)}) AS x(r int, m int, taken int)),
granted_months AS (${changed})
UPDATE daily_usage d SET
  successes = greatest(0, d.successes - c.successes),
  cache_hits = greatest(0, d.cache_hits - c.cache_hits),
  failures = greatest(0, d.failures - c.failures)
FROM (${COUNTED_DAYS}) AS c
WHERE d.user_id = c.user_id AND d.key_id = c.key_id AND d.day = c.day`,
  ]
}
