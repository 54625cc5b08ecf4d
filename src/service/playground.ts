import type { User } from '../core/account-ports.ts'
import type { PageResult } from '../core/metadata.ts'
import type { Plans } from '../core/plan.ts'
import type { FetchTrace } from '../core/trace.ts'
import type { Admission } from './admission.ts'
import type { Lookup, LookupRequest } from './lookup.ts'
import type { Reading } from './reader.ts'

/** A look at a page, as the API answers it, and how it came about. */
export interface Look {
  result: PageResult
  cached: boolean
  /** Null for a cached result, whose way was not kept. */
  reading: Reading | null
}

/** The API for people: what it answers, and why. */
export interface Playground {
  /**
   * Looks at a page at the user's own expense: a slot of their month, and one of a minute that the playground has
   * beside those of their keys. The way is noted in `trace`, also when it fails.
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
