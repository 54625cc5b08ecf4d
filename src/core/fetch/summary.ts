import type { Interstitial } from '../walls/interstitial.ts'
import type { MethodReason } from './method.ts'
import type { FetchMethod } from './page-result.ts'
import type { CacheLayer } from './result-cache.ts'
import type { RenderFailure } from './render-report.ts'
import type { FetchTrace, Step } from './trace.ts'

/**
 * The fetch fields of a request's log line. Only numbers and values from closed sets, so that metrics can be derived
 * from them.
 */
export interface FetchSummary {
  /** Redirects and refreshes that were followed. */
  redirects: number
  /** Whole milliseconds of each phase, summed over all hops; phases that were not reached are absent. */
  phases: Partial<Record<Phase, number>>
  /** The phase in which the fetch ended without a result. */
  unfinished?: Phase
  /** The method that produced the result; absent when there is no result. */
  fetchMethod?: FetchMethod
  methodReason?: MethodReason
  renderFailure?: RenderFailure
  /** The challenge, consent or login page that the site sent instead of the requested page. */
  interstitial?: Interstitial
}

/** How a request was answered, in fields for its user. */
export interface RequestDetails extends Partial<FetchSummary> {
  cacheLayer?: CacheLayer
  /** The names of parameters that the API does not know, as in `X-Ignored-Parameters`. */
  ignoredParameters?: string
}

const HOP_PHASES = ['dns', 'queue', 'connect', 'tls', 'firstByte', 'body'] as const

export type Phase = (typeof HOP_PHASES)[number] | Step

/** Null when this request made no fetch, and got its result from the cache or from the fetch of another request. */
export function fetchSummary(trace: FetchTrace): FetchSummary | null {
  const { hops, method, oembed, rendering, usedMethod, interstitial, sharedMs, step } = trace
  if (hops.length === 0 && sharedMs === undefined) return null
  const phases: FetchSummary['phases'] = {}
  for (const phase of HOP_PHASES) {
    const durations = hops.flatMap(({ timing }) => timing[`${phase}Ms`] ?? [])
    if (durations.length > 0) phases[phase] = Math.round(durations.reduce((sum, ms) => sum + ms, 0))
  }
  if (oembed !== undefined) phases.oembed = Math.round(oembed.durationMs)
  if (rendering !== undefined) phases.render = Math.round(rendering.durationMs)
  if (sharedMs !== undefined) phases.shared = Math.round(sharedMs)
  const unfinished = step?.name ?? (hops.at(-1)?.phase?.name.replace('Ms', '') as Phase | undefined)
  return {
    redirects: hops.filter(({ by }) => by === 'redirect' || by === 'refresh').length,
    phases,
    ...(unfinished && { unfinished }),
    ...(usedMethod && { fetchMethod: usedMethod }),
    ...(method && { methodReason: method.reason }),
    ...(rendering?.failure && { renderFailure: rendering.failure }),
    ...(interstitial && { interstitial }),
  }
}
