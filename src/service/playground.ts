import type { User } from '../core/account-ports.ts'
import type { PageResult } from '../core/metadata.ts'
import type { Plans } from '../core/plan.ts'
import type { FetchTrace } from '../core/trace.ts'
import type { Admission } from './admission.ts'
import type { Lookup, LookupRequest } from './lookup.ts'
import type { Reading } from './reader.ts'

/** A result as the API returns it, with its details. */
export interface Look {
  result: PageResult
  cached: boolean
  /** Null for a cached result. */
  reading: Reading | null
}

/** Requests from the dashboard's playground. */
export interface Playground {
  /**
   * Fetches a page. It counts against the user's month, and against a minute limit of the playground's own. Each hop is
   * appended to `trace`, also when the fetch fails.
   * @throws MinuteLimitError, MonthLimitError, FetchError; AppError `client_closed`
   */
  look(user: User, request: LookupRequest, trace: FetchTrace): Promise<Look>
}

export interface PlaygroundParts {
  admission: Admission
  lookup: Lookup
  plans: Plans
}

export function createPlayground({ admission, lookup, plans }: PlaygroundParts): Playground {
  async function work(request: LookupRequest, trace: FetchTrace): Promise<Look> {
    const stored = request.readCache ? await lookup.peek(request.url) : null
    if (stored !== null) return { result: JSON.parse(stored) as PageResult, cached: true, reading: null }
    const reading = await lookup.read(request, trace)
    return { result: reading.result, cached: false, reading }
  }

  return {
    async look(user, request, trace) {
      const spender = { keyId: null, userId: user.id, plan: plans[user.plan] }
      return (await admission.spend(spender, () => work(request, trace))).answer
    },
  }
}
