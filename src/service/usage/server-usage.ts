import { DAY_MS } from '../../core/duration.ts'
import { dayOf } from '../../core/period.ts'
import type { DailyUsage, UsageHistory } from '../../core/usage/ports.ts'

/** Usage of all users together. */
export type ServerUsage = ReturnType<typeof createServerUsage>

/**
 * Days before yesterday are read once and kept in memory, because each is a sum over all keys of that day. Yesterday is
 * read again, because the last requests of a day may be recorded after midnight.
 */
export function createServerUsage({ usage, now }: { usage: UsageHistory; now: () => number }) {
  let finished = new Map<string, DailyUsage>()

  /** Reads one day, then yields to the event loop, because a day of a busy server has thousands of rows. */
  async function readDay(day: string): Promise<DailyUsage> {
    const total = await usage.total(day)
    await Bun.sleep(0)
    return total
  }

  return {
    /** The last `period` days, including today, oldest first. */
    async days(period: number): Promise<DailyUsage[]> {
      const nowMs = now()
      const yesterday = dayOf(nowMs - DAY_MS)
      const kept = new Map<string, DailyUsage>()
      const days: DailyUsage[] = []
      for (let age = period - 1; age >= 0; age--) {
        const day = dayOf(nowMs - age * DAY_MS)
        const total = finished.get(day) ?? (await readDay(day))
        days.push(total)
        if (day < yesterday) kept.set(day, total)
      }
      finished = kept
      return days
    },
  }
}
