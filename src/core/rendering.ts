import type { EgressRefusal } from './egress.ts'

/** Why a page was not rendered; a closed set that log and tests share. */
export type RenderFailure =
  /** Too many pages wait already. */
  | 'busy'
  | 'out_of_time'
  /** No browser starts. */
  | 'not_started'
  /** The browser ended, not for this page's sake. */
  | 'browser_gone'
  /** The page's own process ended. */
  | 'crashed'
  /** Its document could not be loaded. */
  | 'unreachable'
  /** What came is no document of the web. */
  | 'not_a_page'

/** What rendering a page took, for `--explain` and the log. */
export interface RenderReport {
  durationMs: number
  /** Requests and tunnels, bytes in both directions, and different hosts. */
  requests: number
  bytes: number
  hosts: number
  /** Where the page wanted to go and must not, as `host:port`. */
  refused: { destination: string; refusal: EgressRefusal }[]
}
