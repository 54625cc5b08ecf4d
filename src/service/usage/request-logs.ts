import type { User, Users } from '../../core/accounts/ports.ts'
import { REQUEST_LOG_RETENTION_MS } from '../../core/lifetimes.ts'
import { LIST_PAGE_ROWS } from '../../core/limits.ts'
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
  /** The requests of a key, or of all keys. */
  async function recent(userId: string, keyId: string | null): Promise<LoggedRequest[]> {
    const oldestMs = now() - REQUEST_LOG_RETENTION_MS
    return (await log.list(userId, keyId, MAX_LOGGED_OF_KEY)).filter(({ atMs }) => atMs >= oldestMs)
  }

  return {
    /** A request of the user in the log, or null. */
    async find(userId: string, requestId: string): Promise<LoggedRequest | null> {
      const found = await log.find(userId, requestId)
      return found !== null && found.atMs >= now() - REQUEST_LOG_RETENTION_MS ? found : null
    },

    /** All matching requests, newest first. */
    all: async (userId: string, filter: RequestFilter) => filterRequests(await recent(userId, filter.keyId), filter),

    /**
     * One page of the matching requests, counted from 1, newest first; a summary of all of them; and the values of the
     * log of the key, or of all keys.
     */
    async page(userId: string, filter: RequestFilter, page: number) {
      const whole = await recent(userId, filter.keyId)
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
      // In this order, because requests that are written afterwards use the user's new setting.
      await users.setLogsUrls(id, logsUrls)
      if (!logsUrls) await log.eraseUrls(id)
    },
  }
}
