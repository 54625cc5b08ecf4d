import reasons from './method-reasons.json'
import type { EgressRefusal } from '../net/egress.ts'

/** Why a page was not rendered, as the start of a sentence for users. A closed set that the log and metrics share. */
export const RENDER_FAILURES = reasons.failures
export type RenderFailure = keyof typeof RENDER_FAILURES

/** The cost of rendering a page, for `--explain` and the log. */
export interface RenderReport {
  durationMs: number
  /** Plain requests and tunnels. */
  requests: number
  /** In both directions. */
  bytes: number
  /** Distinct host names and addresses. */
  hosts: number
  /** Destinations that the egress rules refused, as `host:port`. */
  refused: { destination: string; refusal: EgressRefusal }[]
}
