import { sql } from 'drizzle-orm'

import { inSteps, isAmong, STEP_ROWS } from './dialect.ts'
import type { Drizzle } from './schema.ts'
import { lockMonths } from './usage-statements.ts'

/** The maximum number of processes whose reservations are released in one transaction. */
const STEP_PROCESSES = 20

/**
 * The sweep treats a lease as expired only after this additional time, which is longer than the timeout of a statement: a
 * batch may start while the lease is valid and then wait for a lock.
 */
const GRACE = sql.raw("interval '10 seconds'")

/** How long the row of an expired process is kept, in case the process only lost its connection. */
const KEPT = sql.raw("interval '1 day'")

/**
 * Releases the unsettled reservations of processes whose lease has expired. Such a process was killed, or could not
 * reach the database for the whole lease. Returns the number of units.
 */
export async function sweepReservations(db: Drizzle): Promise<number> {
  let total = 0
  for (let open = await sweepStep(db); open !== null; open = await sweepStep(db)) total += open
  await db.execute(sql`DELETE FROM metering_processes WHERE leased_until < now() - ${KEPT}`)
  await inSteps(() => deleteSettled(db))
  return total
}

/** Releases the units reserved by a few stopped processes; null if there are no more such processes. */
async function sweepStep(db: Drizzle): Promise<number | null> {
  return db.transaction(async (tx) => {
    // Locks the rows, so that a process that is still running waits, and then extends its lease without these reservations.
    const expired = await tx.execute<{ id: string }>(sql`
      SELECT id FROM metering_processes p
      WHERE leased_until < now() - ${GRACE}
        AND EXISTS (SELECT 1 FROM usage_reservations o WHERE o.process_id = p.id AND o.open > 0)
      ORDER BY id LIMIT ${STEP_PROCESSES} FOR UPDATE`)
    if (expired.length === 0) return null
    const ids = expired.map(({ id }) => id)
    const isSwept = sql`${isAmong(sql`process_id`, ids)} AND open > 0`
    await tx.execute(lockMonths(sql`SELECT user_id, month FROM usage_reservations WHERE ${isSwept}`))
    await tx.execute(sql`
      UPDATE monthly_usage u SET used = greatest(0, u.used - o.open)
      FROM (SELECT user_id, month, sum(open) AS open FROM usage_reservations WHERE ${isSwept} GROUP BY user_id, month) AS o
      WHERE u.user_id = o.user_id AND u.month = o.month`)
    const swept = await tx.execute<{ open: number }>(
      sql`DELETE FROM usage_reservations WHERE ${isSwept} RETURNING open::int`,
    )
    return swept.reduce((total, { open }) => total + open, 0)
  })
}

/** Deletes rows with no open units. Such a row means the same as no row. Skips rows that a batch has locked. */
async function deleteSettled(db: Drizzle): Promise<readonly unknown[]> {
  return db.execute(sql`
    DELETE FROM usage_reservations WHERE (process_id, user_id, month) IN (
      SELECT process_id, user_id, month FROM usage_reservations WHERE open = 0 LIMIT ${STEP_ROWS} FOR UPDATE SKIP LOCKED
    ) RETURNING open`)
}
