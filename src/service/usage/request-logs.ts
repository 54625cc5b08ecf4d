import type { User } from '../../core/accounts/ports.ts'
import { DAY_MS, HOUR_MS } from '../../core/duration.ts'
import { REQUEST_LOG_RETENTION_MS } from '../../core/lifetimes.ts'
import { LIST_PAGE_ROWS } from '../../core/limits.ts'
import { dayOf, rangeOf } from '../../core/period.ts'
import {
  ALL_REQUESTS,
  countsByReason,
  filterRequests,
  type LoggedRequest,
  MAX_LOGGED_OF_KEY,
  type RequestFilter,
  summarizeRequests,
} from '../../core/usage/request-log.ts'
import type { System } from '../../core/system.ts'
import type { AccountStores } from '../stores.ts'

type RequestLogsDeps = Pick<AccountStores, 'requestLog' | 'users'> & Pick<System, 'now'>

export type RequestLogs = ReturnType<typeof createRequestLogs>

export function createRequestLogs({ requestLog: log, users, now }: RequestLogsDeps) {
  /** A filter without a key matches all keys, and a filter without a day matches all days. */
  async function recent(userId: string, { keyId, day }: RequestFilter): Promise<LoggedRequest[]> {
    const [startMs, endMs] = rangeOf(day ?? '') ?? [0, Number.MAX_SAFE_INTEGER]
    return log.list(userId, keyId, MAX_LOGGED_OF_KEY, [Math.max(startMs, now() - REQUEST_LOG_RETENTION_MS), endMs])
  }

  /** Null if the request is not in the user's log or, for a null user, in any log. */
  async function find(userId: string | null, requestId: string): Promise<LoggedRequest | null> {
    const found = await log.find(userId, requestId)
    return found !== null && found.atMs >= now() - REQUEST_LOG_RETENTION_MS ? found : null
  }

  /** The matching requests, newest first, and those among which they were searched. */
  async function search(userId: string, filter: RequestFilter) {
    const whole = await recent(userId, filter)
    const requests = filterRequests(whole, filter)
    if (requests.length > 0 || filter.text === '' || filter.day !== null) return { whole, requests }
    // The log of a user with several keys has more requests, which are found by their ID only.
    const older = await find(userId, filter.text)
    return { whole, requests: filterRequests(older === null ? [] : [older], filter) }
  }

  return {
    find,

    /** The UTC days of the log, newest first. */
    days: () => Array.from({ length: REQUEST_LOG_RETENTION_MS / DAY_MS + 1 }, (_, age) => dayOf(now() - age * DAY_MS)),

    /** All matching requests, newest first. */
    all: async (userId: string, filter: RequestFilter) => (await search(userId, filter)).requests,

    /** The matching requests of all users among the newest `limit`, oldest first; for operators. */
    async newest({ keyId, result }: Pick<RequestFilter, 'keyId' | 'result'>, limit: number) {
      const requests = filterRequests(await log.newest(keyId, limit), { ...ALL_REQUESTS, result })
      return requests.filter(({ atMs }) => atMs >= now() - REQUEST_LOG_RETENTION_MS).toReversed()
    },

    /** The requests of the last `count` hours by hour. A null key means all keys. */
    hours: (userId: string, keyId: string | null, count: number) =>
      log.hours(userId, keyId, Math.floor(now() / HOUR_MS - count + 1) * HOUR_MS),

    /**
     * Pages are numbered from 1, newest requests first. The summary covers all matching requests, and `reasons` the
     * failures of the whole log.
     */
    async page(userId: string, filter: RequestFilter, page: number) {
      const { whole, requests } = await search(userId, filter)
      const start = (page - 1) * LIST_PAGE_ROWS
      return {
        requests: requests.slice(start, start + LIST_PAGE_ROWS),
        summary: summarizeRequests(requests, whole.length),
        reasons: countsByReason(whole),
      }
    },

    /**
     * Sets whether the host and path of the user's requests are logged. When disabled, stored hosts and paths are
     * deleted.
     */
    async setLogsUrls({ id }: User, logsUrls: boolean) {
      // Erased before, so that an error changes nothing. Erased again after, because requests were logged in between.
      if (!logsUrls) await log.eraseUrls(id)
      await users.setLogsUrls(id, logsUrls)
      if (!logsUrls) await log.eraseUrls(id)
    },
  }
}
