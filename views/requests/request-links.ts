import type { RequestFilter } from '../../src/core/usage/request-log.ts'

export const REQUESTS_PATH = '/usage/requests'

/** The id is a parameter and not part of the path, because the id from a proxy may be `..` or contain `/`. */
export const requestUrl = (requestId: string) => `${REQUESTS_PATH}?${new URLSearchParams({ id: requestId })}`

/** Omits parameters whose values select everything. */
export function requestsUrl(filter: Partial<RequestFilter>, more: Record<string, string> = {}, path = REQUESTS_PATH) {
  const { keyId = null, result = 'all', cache = 'all', host = null, day = null } = filter
  const query = new URLSearchParams({
    ...(keyId !== null && { key: keyId }),
    ...(result !== 'all' && { result }),
    ...(cache !== 'all' && { cache }),
    ...(host !== null && { host }),
    ...(day !== null && { day }),
    ...more,
  })
  return query.size === 0 ? path : `${path}?${query}`
}

/**
 * Returns the URL of the requests of a key, or of all keys, on a UTC day or in an hour; null if the log no longer has
 * the day.
 */
export const timeLinks = (keyId: string | null, loggedDays: readonly string[]) => (time: string) =>
  loggedDays.includes(time.slice(0, 10)) ? requestsUrl({ keyId, day: time }) : null
