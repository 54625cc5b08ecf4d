import type { Charset } from './charset.ts'
import type { EgressRefusal, JudgedAddress } from './egress.ts'
import type { Interstitial } from './extract/interstitial.ts'
import type { MethodChoice } from './method.ts'
import type { FetchMethod } from './metadata.ts'
import type { RenderFailure, RenderReport } from './render-report.ts'

/** The way to an answer, hop by hop; values only, for `--explain` and the log. */
export interface FetchTrace {
  hops: Hop[]
  /** Whether the page was to be rendered, and why; absent when the way ended before that was asked. */
  method?: MethodChoice
  /** What came of it, when it was. */
  rendering?: RenderReport & { failure?: RenderFailure }
  /** What the plain answer was instead of the wanted page; absent when it was the page. */
  interstitial?: Interstitial
  /** Whose metadata is answered, once that is decided. */
  answeredBy?: FetchMethod
}

/** One request and what came of it. What a failed hop did not come to is absent. */
export interface Hop {
  url: string
  /** What led here. */
  by: 'caller' | 'redirect' | 'refresh' | 'retry as browser'
  /** True when an https page led to an http one. */
  isDowngrade: boolean
  /** Every resolved address, also those that were refused. */
  addresses: JudgedAddress[]
  /** Why the hop was not allowed; the caller is not told. */
  refusal?: EgressRefusal
  /** How the addresses were found. */
  resolvedBy?: 'literal' | 'loopback name' | 'hosts file' | 'dns' | 'cache'
  /** Connection attempts in their order; `error` is the system's code, null for the one that was connected. */
  attempts: { address: string; error: string | null }[]
  /** The address of a connection that was kept from an earlier request; then nothing was attempted. */
  keptConnectionTo?: string
  /** Agreed TLS version, for https. */
  tls?: string
  status?: number
  /** The Location header as resolved, or the refresh target. */
  location?: string
  contentType?: string
  contentEncoding?: string
  /** Names of the cookies that were sent, and of those the answer set. */
  cookiesSent: string[]
  cookiesSet: string[]
  /** Bytes on the wire, head included, and of the body after decompression. */
  wireBytes?: number
  bodyBytes?: number
  /** Why reading ended. */
  stopped?: 'end' | 'head complete' | 'cap' | 'not a page' | 'broken off'
  charset?: Charset
  timing: HopTiming
  /** Why the hop failed, in the words that the caller is told. */
  failure?: string
}

/** Milliseconds of each phase, which follow each other; a phase that was not reached is absent. */
export interface HopTiming {
  dnsMs?: number
  /** Waiting for a free slot. */
  queueMs?: number
  connectMs?: number
  tlsMs?: number
  /** From the request sent to the head of the answer. */
  firstByteMs?: number
  bodyMs?: number
}
