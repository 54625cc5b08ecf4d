import type { User, Users } from '../../core/accounts/ports.ts'
import { DAY_MS, HOUR_MS } from '../../core/duration.ts'
import { REQUEST_LOG_RETENTION_MS } from '../../core/lifetimes.ts'
import { LIST_PAGE_ROWS } from '../../core/limits.ts'
import { dayOf, rangeOf } from '../../core/period.ts'
import {
  filterRequests,
  type LoggedRequest,
  loggedValues,
  MAX_LOGGED_OF_KEY,
  type RequestFilter,
  type RequestLog,
  summarizeRequests,
} from '../../core/usage/request-log.ts'

/** The log of a user's requests. */
export type RequestLogs = ReturnType<typeof createRequestLogs>

export function createRequestLogs({ log, users, now }: { log: RequestLog; users: Users; now: () => number }) {
  /** The requests of a key, or of all keys, and of a day, or of all days. */
  async function recent(userId: string, { keyId, day }: RequestFilter): Promise<LoggedRequest[]> {
    const [startMs, endMs] = rangeOf(day ?? '') ?? [0, Number.MAX_SAFE_INTEGER]
    return log.list(userId, keyId, MAX_LOGGED_OF_KEY, [Math.max(startMs, now() - REQUEST_LOG_RETENTION_MS), endMs])
  }

  return {
    /** The UTC days of the log, newest first. */
    days: () => Array.from({ length: REQUEST_LOG_RETENTION_MS / DAY_MS + 1 }, (_, age) => dayOf(now() - age * DAY_MS)),

    /** A request of the user in the log, or null. */
    async find(userId: string, requestId: string): Promise<LoggedRequest | null> {
      const found = await log.find(userId, requestId)
      return found !== null && found.atMs >= now() - REQUEST_LOG_RETENTION_MS ? found : null
    },

    /** All matching requests, newest first. */
    all: async (userId: string, filter: RequestFilter) => filterRequests(await recent(userId, filter), filter),

    /** The requests of the last `count` hours by hour, for one key or all keys. */
    hours: (userId: string, keyId: string | null, count: number) =>
      log.hours(userId, keyId, Math.floor(now() / HOUR_MS - count + 1) * HOUR_MS),

    /** One page, from 1, of the matching requests, newest first; a summary of all of them; choices for the filter. */
    async page(userId: string, filter: RequestFilter, page: number) {
      const whole = await recent(userId, filter)
      const requests = filterRequests(whole, filter)
      const start = (page - 1) * LIST_PAGE_ROWS
      return {
        requests: requests.slice(start, start + LIST_PAGE_ROWS),
        summary: summarizeRequests(requests),
        values: loggedValues(whole),
      }
    },

    /** Whether host and path of the user's requests are logged. When disabled, stored ones are deleted. */
    async setLogsUrls({ id }: User, logsUrls: boolean) {
      // Before, so that an error changes nothing; and after, because requests written since then use the new setting.
      if (!logsUrls) await log.eraseUrls(id)
      await users.setLogsUrls(id, logsUrls)
      if (!logsUrls) await log.eraseUrls(id)
    },
  }
}
