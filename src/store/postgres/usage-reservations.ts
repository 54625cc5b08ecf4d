import { sql } from 'drizzle-orm'

import type { Drizzle } from './schema.ts'

/** Processes whose reservations one transaction gives back. */
const STEP_PROCESSES = 20

/** The row of an ended process is kept this long, for one that only lost its connection. */
const KEPT = sql.raw("interval '1 day'")

/**
 * Gives back the slots that processes have reserved and not settled before their lease ended: they were killed, or have
 * been without the database for that long. Returns the number of slots.
 */
export async function sweepReservations(db: Drizzle): Promise<number> {
  for (let total = 0; ;) {
    const open = await sweepStep(db)
    if (open === null) return total
    total += open
  }
}

async function sweepStep(db: Drizzle): Promise<number | null> {
  return db.transaction(async (tx) => {
    // Locked, so that a batch of a process that is still there waits, and then finds its lease ended.
    const ended = (await tx.execute(sql`
      SELECT id FROM metering_processes p
      WHERE leased_until < now() AND EXISTS (SELECT 1 FROM usage_reservations o WHERE o.process_id = p.id)
      ORDER BY id LIMIT ${STEP_PROCESSES} FOR UPDATE`)) as unknown as { id: string }[]
    if (ended.length === 0) {
      await tx.execute(sql`DELETE FROM metering_processes WHERE leased_until < now() - ${KEPT}`)
      // A missing row counts as none open.
      await tx.execute(sql`DELETE FROM usage_reservations WHERE open = 0`)
      return null
    }
    const isEnded = sql`process_id IN (SELECT jsonb_array_elements_text(${JSON.stringify(ended.map(({ id }) => id))}::text::jsonb))`
    await tx.execute(sql`
      UPDATE monthly_usage u SET used = greatest(0, u.used - o.open)
      FROM (SELECT user_id, month, sum(open) AS open FROM usage_reservations WHERE ${isEnded} GROUP BY user_id, month) AS o
      WHERE u.user_id = o.user_id AND u.month = o.month`)
    const swept = (await tx.execute(
      sql`DELETE FROM usage_reservations WHERE ${isEnded} RETURNING open`,
    )) as unknown as { open: number }[]
    return swept.reduce((total, { open }) => total + open, 0)
  })
}
