import type { User } from '../core/account-ports.ts'
import type { PageResult } from '../core/metadata.ts'
import type { Plans } from '../core/plan.ts'
import type { FetchTrace } from '../core/trace.ts'
import type { Admission } from './admission.ts'
import type { Lookup, LookupRequest } from './lookup.ts'
import type { Reading } from './reader.ts'

/** A result as the API returns it, with its details. */
export interface PlaygroundResult {
  result: PageResult
  cached: boolean
  /** Null for a cached result. */
  reading: Reading | null
}

/** Requests from the dashboard's playground. */
export interface PlaygroundService {
  /**
   * Fetches a page. It counts against the user's month, and against a minute limit of the playground's own. Each hop is
   * appended to `trace`, also when the fetch fails.
   * @throws MinuteLimitError, MonthLimitError, FetchError; AppError `client_closed`
   */
  fetch(user: User, request: LookupRequest, trace: FetchTrace): Promise<PlaygroundResult>
}

export interface PlaygroundDeps {
  admission: Admission
  lookup: Lookup
  plans: Plans
}

export function createPlayground({ admission, lookup, plans }: PlaygroundDeps): PlaygroundService {
  async function stored(request: LookupRequest): Promise<PlaygroundResult | null> {
    const answer = await lookup.stored(request)
    return answer && { result: JSON.parse(answer.json) as PageResult, cached: true, reading: null }
  }

  async function work(request: LookupRequest, trace: FetchTrace): Promise<PlaygroundResult> {
    const reading = await lookup.read(request, trace)
    return { result: reading.result, cached: false, reading }
  }

  return {
    async fetch(user, request, trace) {
      const subject = { keyId: null, userId: user.id, plan: plans[user.plan] }
      const source = { stored: () => stored(request), work: () => work(request, trace) }
      return (await admission.withQuota(subject, source)).answer
    },
  }
}
