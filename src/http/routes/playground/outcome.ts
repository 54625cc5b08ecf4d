import { AppError, FetchError } from '../../../core/errors.ts'
import { storableTrace } from '../../../core/fetch/result-details.ts'
import { fetchSummary } from '../../../core/fetch/summary.ts'
import type { FetchTrace } from '../../../core/fetch/trace.ts'
import { type Target, withRouteOnly } from '../../../core/net/url.ts'
import type { Caller } from '../../../core/fetch/ports.ts'
import type { CachedReadRequest } from '../../../service/lookup/cached-reader.ts'
import type { PlaygroundResult } from '../../../service/lookup/playground.ts'
import { newRecord } from '../../../previews/service/playground-record.ts'
import { statusOf } from '../../errors/errors.ts'
import { errorFields } from '../../server/access-log.ts'
import type { PlaygroundContext } from './playground-context.ts'

interface PlaygroundFetch extends Pick<CachedReadRequest, 'timeoutMs' | 'readCache'>, Pick<Target, 'url'> {
  caller: Caller
  fetch: (request: CachedReadRequest, trace: FetchTrace) => Promise<PlaygroundResult>
}

/** Fetches a page and everything that its link previews need, and describes the fetch in the log line. */
export function createPlaygroundFetch({ accessLog, previewRequests }: PlaygroundContext) {
  return async (request: Request, { url, caller, fetch, ...options }: PlaygroundFetch) => {
    const trace: FetchTrace = { hops: [] }
    const { signal } = request
    const { userId, publicOnly } = caller
    accessLog.add(request, { host: url.host })
    try {
      const readRequest = { url, cacheKey: withRouteOnly(url.href), userId, publicOnly, signal, ...options }
      const fetched = fetch(readRequest, trace).finally(() => accessLog.add(request, fetchSummary(trace)))
      const found = await fetched
      const { cached, layer } = found
      accessLog.add(request, { cache: cached ? 'HIT' : 'MISS', ...(layer && { cacheLayer: layer }) })
      return await previewRequests(caller, newRecord(url.href, found), { signal, readCache: options.readCache })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      accessLog.add(request, errorFields(error))
      const { failure = null, siteStatus = null } = error instanceof FetchError ? error : {}
      const cause = { kind: error.kind, failure, siteStatus, interstitial: trace.interstitial }
      const storedTrace = trace.hops.length > 0 ? storableTrace(trace) : null
      return { kind: 'failure' as const, status: statusOf(error), error: error.message, cause, trace: storedTrace }
    }
  }
}
