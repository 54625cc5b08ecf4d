import { DAY_MS } from '../../core/duration.ts'
import { dayOf } from '../../core/period.ts'
import type { DailyUsage, UsageHistory } from '../../core/usage/ports.ts'

/**
 * Days before yesterday are read once and kept in memory, because reading a day sums over all keys. Yesterday is read
 * again, because the last requests of a day may be recorded after midnight.
 */
export function createServerUsage({ usage, now }: { usage: UsageHistory; now: () => number }) {
  let finished = new Map<string, DailyUsage>()

  /** Yields to the event loop after the day, because a day of a busy server has thousands of rows. */
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
      const days = Array.from({ length: period }, (_, index) => dayOf(nowMs - (period - 1 - index) * DAY_MS))
      const totals = await Array.fromAsync(days, async (day) => finished.get(day) ?? (await readDay(day)))
      finished = new Map(days.flatMap((day, index) => (day < yesterday ? [[day, totals[index]!]] : [])))
      return totals
    },
  }
}
