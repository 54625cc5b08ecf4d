import type { Interstitial } from './extract/interstitial.ts'
import type { MethodReason } from './method.ts'
import type { FetchMethod } from './metadata.ts'
import type { RenderFailure } from './render-report.ts'
import type { FetchTrace, HopTiming } from './trace.ts'

/** What the log line of a request says of its fetch: numbers and closed sets, so that metrics can be fed from it. */
export interface FetchSummary {
  /** Redirects and refreshes that were followed. */
  redirects: number
  /** Whole milliseconds of each phase, of all requests on the way together; a phase that was not reached is absent. */
  phases: Partial<Record<Phase, number>>
  /** How the answer came about; absent when there was none. */
  fetchMethod?: FetchMethod
  /** Why a browser was wanted, or why it was not. */
  methodReason?: MethodReason
  /** Why a page was not rendered that was to be. */
  renderFailure?: RenderFailure
  /** What stood in front of the wanted page. */
  interstitial?: Interstitial
}

type Phase = 'dns' | 'queue' | 'connect' | 'tls' | 'firstByte' | 'body' | 'render'

const PHASES = {
  dns: 'dnsMs',
  queue: 'queueMs',
  connect: 'connectMs',
  tls: 'tlsMs',
  firstByte: 'firstByteMs',
  body: 'bodyMs',
} as const satisfies Partial<Record<Phase, keyof HopTiming>>

/** Null when no request was made: the answer came from the cache, or from the fetch of another request. */
export function fetchSummary({ hops, method, rendering, answeredBy, interstitial }: FetchTrace): FetchSummary | null {
  if (hops.length === 0) return null
  const phases: FetchSummary['phases'] = {}
  for (const [phase, field] of Object.entries(PHASES) as [keyof typeof PHASES, keyof HopTiming][]) {
    const reached = hops.flatMap(({ timing }) => timing[field] ?? [])
    if (reached.length > 0) phases[phase] = Math.round(reached.reduce((sum, ms) => sum + ms, 0))
  }
  if (rendering !== undefined) phases.render = Math.round(rendering.durationMs)
  return {
    redirects: hops.filter(({ by }) => by === 'redirect' || by === 'refresh').length,
    phases,
    ...(answeredBy && { fetchMethod: answeredBy }),
    ...(method && { methodReason: method.reason }),
    ...(rendering?.failure && { renderFailure: rendering.failure }),
    ...(interstitial && { interstitial }),
  }
}
