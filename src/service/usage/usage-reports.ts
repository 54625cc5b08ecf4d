import { DAY_MS } from '../../core/duration.ts'
import type { User } from '../../core/accounts/ports.ts'
import { dayOf, monthEnd, monthOf, monthsBefore } from '../../core/period.ts'
import { limitsOf, planLabelOf } from '../../core/plan.ts'
import type { DailyUsage, MonthlyUsage } from '../../core/usage/ports.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import type { System } from '../../core/system.ts'
import type { AccountStores } from '../stores.ts'

export type UsageReports = ReturnType<typeof createUsageReports>

export interface UsageReportsDeps extends Pick<AccountStores, 'usage'>, Pick<System, 'now'> {
  settings: CurrentSettings<'plans'>
}

export function createUsageReports({ usage, settings, now }: UsageReportsDeps) {
  return {
    async month(user: User): Promise<MonthlyUsage> {
      const month = monthOf(now())
      const limits = limitsOf(settings(), user)
      const used = await usage.used([user.id], month)
      return { used: used.get(user.id) ?? 0, limits, planLabel: planLabelOf(limits), resetsAt: monthEnd(month) }
    },

    /** Usage in the last `period` days, including today; days without requests are omitted. A null key means all usage. */
    days: (userId: string, period: number, keyId: string | null) =>
      usage.days(userId, keyId, dayOf(now() - (period - 1) * DAY_MS)),

    /**
     * The usage of the last `count` months by day. A null key means all usage; the result then also has the stored
     * successes of each earlier month.
     */
    async months(userId: string, count: number, keyId: string | null): Promise<DailyUsage[]> {
      const first = monthOf(monthsBefore(now(), count - 1))
      const [days, months] = await Promise.all([
        usage.days(userId, keyId, first),
        keyId === null ? usage.months(userId) : [],
      ])
      const before = months.filter(({ month }) => month < first)
      return [...before.map(({ month, used }) => ({ day: month, successes: used, cacheHits: 0, failures: 0 })), ...days]
    },
  }
}
