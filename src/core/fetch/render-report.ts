import type { EgressRefusal } from '../net/egress.ts'

/** Why a page was not rendered; a closed set that the log, the metrics and tests share. */
export const RENDER_FAILURES = [
  /** Too many pages are already waiting. */
  'busy',
  'out_of_time',
  /** The browser did not start. */
  'not_started',
  /** The browser process exited. */
  'browser_gone',
  /** The page's renderer process exited. */
  'crashed',
  /** The document could not be loaded. */
  'unreachable',
  /** The response is not a document. */
  'not_a_page',
] as const
export type RenderFailure = (typeof RENDER_FAILURES)[number]

/** The cost of rendering a page, for `--explain` and the log. */
export interface RenderReport {
  durationMs: number
  /** Requests and tunnels, bytes in both directions, and distinct hosts. */
  requests: number
  bytes: number
  hosts: number
  /** Destinations that the egress rules refused, as `host:port`. */
  refused: { destination: string; refusal: EgressRefusal }[]
}
