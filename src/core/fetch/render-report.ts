import type { EgressRefusal } from '../net/egress.ts'

/** Why a page was not rendered, as the start of a sentence for users. A closed set that the log and metrics share. */
export const RENDER_FAILURES = {
  busy: 'Too many pages were waiting for the browser',
  out_of_time: 'The browser ran out of time',
  not_started: 'The browser did not start',
  browser_gone: 'The browser stopped unexpectedly',
  crashed: 'The page crashed in the browser',
  unreachable: 'The browser could not load the page',
  not_a_page: 'The browser did not receive a page',
}
export type RenderFailure = keyof typeof RENDER_FAILURES

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
