import type { Charset } from '../extract/reading/charset.ts'
import type { EgressRefusal, CheckedAddress } from '../net/egress.ts'
import type { Interstitial } from '../walls/interstitial.ts'
import type { MethodChoice } from './method.ts'
import type { FetchMethod } from './page-result.ts'
import type { RenderFailure, RenderReport } from './render-report.ts'

/**
 * A record of a fetch, hop by hop, for `--explain` and the log. Plain data. The caller passes an empty trace, and the
 * fetch fills it in while running, because a fetch that fails or times out returns no value that could contain a trace.
 */
export interface FetchTrace {
  hops: Hop[]
  /** Whether to render the page, and why; absent if the fetch failed before this was decided. */
  method?: MethodChoice
  /** The request to an oEmbed endpoint, with the reason if it has no result; absent if there was no request. */
  oembed?: { hops: Hop[]; durationMs: number; failure?: string }
  /** How long the look-up of `/favicon.ico` took; absent if there was none. */
  faviconMs?: number
  /** The outcome of rendering; absent if the page was not rendered. */
  rendering?: RenderReport & { failure?: RenderFailure }
  /** Set if the response is a challenge, consent or login page instead of the requested page. */
  interstitial?: Interstitial
  /** The method whose metadata is returned; absent until the method is decided. */
  usedMethod?: FetchMethod
  /** How long a request waited for the fetch of another one, if it did not get a result. */
  sharedMs?: number
  /** The step in progress, or in which the fetch ended without a result. */
  step?: Phase<Step>
}

/** The parts of a fetch that are no phases of a hop. `shared` waits for the fetch of another request. */
export type Step = 'oembed' | 'render' | 'shared'

/**
 * A phase that did not finish. While it is in progress, `sinceMs` is its start in milliseconds since 1970, which
 * are the same in all threads.
 */
export interface Phase<Name> {
  name: Name
  sinceMs?: number
}

/** One request and its outcome. Fields of steps that a failed hop did not reach are absent. */
export interface Hop {
  url: string
  by: 'caller' | 'redirect' | 'refresh' | 'retry as browser' | 'oembed'
  /** True if an https page redirected to an http page. */
  isDowngrade: boolean
  /** All resolved addresses, including refused ones. */
  addresses: CheckedAddress[]
  /** Why the egress rules refused the hop; not disclosed to API callers. */
  refusal?: EgressRefusal
  resolvedBy?: 'literal' | 'loopback name' | 'hosts file' | 'dns' | 'cache'
  /** Connection attempts in order; `error` is the system's error code, or null for the successful attempt. */
  attempts: { address: string; error: string | null }[]
  /** The address of a reused connection. A hop on a reused connection has no connection attempts. */
  keptConnectionTo?: string
  /** The URL of the intermediate certificate, if it was fetched because the server did not send it. */
  issuerFrom?: string
  /** The negotiated TLS version, for https. */
  tls?: string
  status?: number
  /** The target of the Location header, resolved against the URL, or the refresh target. */
  location?: string
  contentType?: string
  contentEncoding?: string
  /** The X-Robots-Tag header of a page. */
  robots?: string
  /** Names of the cookies sent with the request and set by the response. */
  cookiesSent: string[]
  cookiesSet: string[]
  /** Bytes received including the head, and bytes of the decompressed body. */
  wireBytes?: number
  bodyBytes?: number
  /** Why reading ended. */
  stopped?: 'end' | 'rest not needed' | 'cap' | 'not a page' | 'connection lost'
  charset?: Charset
  timing: HopTiming
  /** The phase in progress, or in which the hop failed; absent if all phases finished. */
  phase?: Phase<keyof HopTiming>
  /** The error message for the caller when the hop failed. */
  failure?: string
}

/**
 * Durations of the consecutive phases in milliseconds; phases that were not reached are absent. A phase that failed has its
 * duration, too.
 */
export interface HopTiming {
  /** Absent for addresses. */
  dnsMs?: number
  /** Waiting for a free slot. */
  queueMs?: number
  connectMs?: number
  tlsMs?: number
  /** From sending the request to receiving the head of the response. */
  firstByteMs?: number
  bodyMs?: number
}

export function startHop({ href }: URL, by: Hop['by']): Hop {
  return {
    url: href,
    by,
    isDowngrade: false,
    addresses: [],
    attempts: [],
    cookiesSent: [],
    cookiesSet: [],
    timing: {},
  }
}

/** Ends the phase of a hop in progress. `nowMs` is of the same clock as its start. */
export function endHopPhase({ timing, phase }: Pick<Hop, 'timing' | 'phase'>, nowMs: number): void {
  if (phase?.sinceMs === undefined) return
  timing[phase.name] = (timing[phase.name] ?? 0) + nowMs - phase.sinceMs
  delete phase.sinceMs
}

/**
 * Ends the phase and the step in progress, so that a trace has all of the time until the deadline. The fetch itself ends
 * later, perhaps in another thread.
 */
export function endPhases(trace: FetchTrace, nowMs: number): void {
  const { hops, oembed, step } = trace
  for (const hop of [...hops, ...(oembed?.hops ?? [])]) endHopPhase(hop, nowMs)
  if (step?.sinceMs === undefined) return
  const durationMs = nowMs - step.sinceMs
  delete step.sinceMs
  if (step.name === 'shared') trace.sharedMs = durationMs
  else if (step.name === 'oembed') oembed!.durationMs = durationMs
  else trace.rendering = { durationMs, requests: 0, bytes: 0, hosts: 0, refused: [], failure: 'out_of_time' }
}

/**
 * Copies a trace without private addresses, for users who are not operators. Private addresses would disclose the
 * service's network.
 */
export function publicTrace(trace: FetchTrace): FetchTrace {
  const { hops, rendering, oembed } = trace
  return {
    ...trace,
    hops: hops.map(publicHop),
    ...(oembed && { oembed: { ...oembed, hops: oembed.hops.map(publicHop) } }),
    ...(rendering && { rendering: { ...rendering, refused: [] } }),
  }
}

/** The reason of a refusal would disclose the kind of the address. */
function publicHop(whole: Hop): Hop {
  const { refusal: _, keptConnectionTo, ...hop } = whole
  const addresses = hop.addresses.filter(({ verdict }) => verdict === 'public')
  const isPublic = (text?: string) => addresses.some(({ address }) => address === text)
  const attempts = hop.attempts.filter(({ address }) => isPublic(address))
  return { ...hop, addresses, attempts, ...(isPublic(keptConnectionTo) && { keptConnectionTo }) }
}
