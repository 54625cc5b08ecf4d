import type { Interstitial } from '../../src/core/walls/interstitial.ts'
import type { Site } from './sites.ts'

/** A link to a site that treats link previews differently, and the expected result. */
export interface SiteCase {
  name: string
  /** The site, as docs/sites.md names it. */
  site: string
  url: string
  /** The responses of the site and of the hosts that it redirects to, by host. */
  doubles: Readonly<Record<string, Site>>
  expected: Answered | Refused
  /** Where the behavior is described: `owner/repository#number`, or `owner/repository/path`. */
  sources: readonly string[]
}

/** The page is returned. */
export interface Answered {
  /** A part of the response, with the URLs of the site. */
  metadata: Record<string, unknown>
  /** Fields that must be absent. */
  lacks?: readonly string[]
  /** The source of each value, by field. */
  provenance?: Record<string, string>
  /** The URLs that were requested, if there is more than one. */
  requested?: readonly string[]
}

/** The request fails: `Failed to fetch URL: blocked by the site`. */
export interface Refused {
  blockedBy: Interstitial
}
