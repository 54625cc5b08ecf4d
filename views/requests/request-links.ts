import type { LoggedRequest, RequestFilter } from '../../src/core/usage/request-log.ts'

export const REQUESTS_PATH = '/usage/requests'

/**
 * A request, in the list of the filter. The id is a parameter and not part of the path, because the id from a proxy may be
 * `..` or contain `/`.
 */
export const requestUrl = (id: string, filter: Partial<RequestFilter> = {}, page = 1) =>
  requestsUrl(filter, { ...pageQuery(page), id })

/** The parameter of a page of a list, unless it is the first. */
export const pageQuery = (page: number) => (page === 1 ? {} : { page: String(page) })

/** `example.com/path`; '' if the URL is not logged. */
export const urlText = ({ host, path }: Pick<LoggedRequest, 'host' | 'path'>) => (host ?? '') + (path ?? '')

/** Omits parameters whose values select everything. */
export function requestsUrl(filter: Partial<RequestFilter>, more: Record<string, string> = {}, path = REQUESTS_PATH) {
  const { keyId = null, result = 'all', text = '', day = null } = filter
  const query = new URLSearchParams({
    ...(keyId !== null && { key: keyId }),
    ...(result !== 'all' && { result }),
    ...(text !== '' && { q: text }),
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
