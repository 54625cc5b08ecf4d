import type { Interstitial } from '../../src/core/extract/interstitial.ts'
import type { Doubles } from './doubles.ts'

/** One link to a site that treats link previews differently, and what must be answered. */
export interface SiteCase {
  name: string
  /** The site, as docs/sites.md names it. */
  site: string
  url: string
  /** What the site and the hosts that it redirects to send, to whom. */
  doubles: Doubles
  expected: Answered | Refused
  /** Where the behaviour is described: `owner/repository#number`, or `owner/repository/path`. */
  sources: readonly string[]
}

/** The page is answered. */
export interface Answered {
  /** A part of the response. URLs as the site would have them. */
  metadata: Record<string, unknown>
  /** Fields that must be absent. */
  lacks?: readonly string[]
  /** The source of each value, by field. */
  provenance?: Record<string, string>
  /** The URLs that were requested, if there is more than one. */
  requested?: readonly string[]
}

/** The page cannot be had: `Failed to fetch URL: blocked by the site`. */
export interface Refused {
  blockedBy: Interstitial
}
