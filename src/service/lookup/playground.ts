import type { User } from '../../core/accounts/ports.ts'
import type { PageResult } from '../../core/fetch/page-result.ts'
import { parseDetails, type ResultDetails } from '../../core/fetch/result-details.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import { limitsOf } from '../../core/plan.ts'
import { type RateLimiter, requireWithinLimit } from '../../core/usage/rate-limiter.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import type { System } from '../../core/system.ts'
import type { Admission } from '../usage/admission.ts'
import type { CachedReader, CachedReadRequest } from './cached-reader.ts'
import type { CachedReadResult } from './stored-results.ts'

export interface PlaygroundResult extends Pick<CachedReadResult, 'cached' | 'layer'> {
  result: PageResult
  /** Null if the details were too large to be stored. */
  details: ResultDetails | null
}

export type PlaygroundService = ReturnType<typeof createPlayground>

/** For each client network without an account: enough to try the service. */
export const PUBLIC_PER_MINUTE = 5

export interface PlaygroundDeps extends Pick<System, 'now'> {
  admission: Admission
  cachedReader: CachedReader
  settings: CurrentSettings<'plans'>
  /** Counts the requests of visitors by client network. */
  visitorLimiter: RateLimiter
}

/** Its results list the tags of the page. A cached result without them, which an API request stored, is not used. */
export function createPlayground({ admission, cachedReader, settings, visitorLimiter, now }: PlaygroundDeps) {
  async function stored(request: CachedReadRequest): Promise<PlaygroundResult | null> {
    const found = await cachedReader.stored({ ...request, needs: 'tags' })
    return found && parsed(found)
  }

  const fetchPage = async (request: CachedReadRequest, trace: FetchTrace) =>
    parsed(await cachedReader.read(request, trace))

  return {
    /**
     * Fetches a page. The request counts against the user's month and against a separate limit per minute.
     * @throws MinuteLimitError, MonthLimitError, FetchError; AppError `client_closed`
     */
    async fetch(user: User, request: CachedReadRequest, trace: FetchTrace): Promise<PlaygroundResult> {
      const subject = { keyId: null, userId: user.id, limits: limitsOf(settings(), user) }
      const source = { stored: () => stored(request), work: () => fetchPage(request, trace) }
      return (await admission.withQuota(subject, source)).result
    },

    /** Counts a request of a visitor without an account. @throws ClientLimitError */
    countVisitor: (network: string) =>
      requireWithinLimit(visitorLimiter, 'visitor_limit', { key: network, limit: PUBLIC_PER_MINUTE }, now()),

    /** Fetches a page for a visitor without an account, after `countVisitor`. The request counts against no user's limits. */
    fetchPublic: async (request: CachedReadRequest, trace: FetchTrace): Promise<PlaygroundResult> =>
      (await stored(request)) ?? (await fetchPage(request, trace)),
  }
}

function parsed({ json, cached, layer, details }: CachedReadResult): PlaygroundResult {
  return { result: JSON.parse(json) as PageResult, cached, ...(layer && { layer }), details: parseDetails(details) }
}
