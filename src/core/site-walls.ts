import { getDomain } from 'tldts'

import type { PageEvidence } from './extract/evidence.ts'
import type { Interstitial } from './extract/interstitial.ts'
import type { Metadata } from './metadata.ts'
import type { Site } from './site-rule.ts'

/** The parts of a response that the rules for its site use. */
export interface SiteResponse {
  status: number
  /** The URL of the response. */
  url: URL
  /** The requested URL and the redirects that led to the response. */
  previousUrls: readonly URL[]
  site: Site
  metadata: Metadata
  evidence: Pick<PageEvidence, 'hasNoScriptTitle'> | null
}

/** Recognizes a wall by the rules of its site; null for other pages. */
export function siteWallOf({ status, url, previousUrls, site, metadata, evidence }: SiteResponse): Interstitial | null {
  const { titles = [], challengeTitles = [], challengeStatuses = [], challengePaths = [] } = site.walls ?? {}
  const title = comparable(metadata.title ?? '')
  const isOneOf = (all: readonly string[]) => title !== '' && all.some((one) => comparable(one) === title)
  if (challengeStatuses.includes(status)) return 'other_challenge'
  if (challengePaths.some((path) => `${url.pathname}/`.includes(`${path.replace(/\/$/, '')}/`)))
    return 'other_challenge'
  if (status < 400 && isOneOf(challengeTitles)) return 'other_challenge'
  // A title such as "JavaScript is not available." is not part of the metadata.
  const isGeneric = isOneOf(titles) || (titles.length > 0 && evidence?.hasNoScriptTitle === true)
  return status < 400 && isGeneric && !isForHomePage(previousUrls, url) ? 'login' : null
}

/** Whether the home page of the site was requested, possibly by a short link of another site. */
function isForHomePage(previousUrls: readonly URL[], url: URL): boolean {
  const domain = getDomain(url.hostname)
  const requested = previousUrls.find(({ hostname }) => getDomain(hostname) === domain) ?? url
  return requested.pathname === '/'
}

/** Normalizes a title for comparison: case and the kinds of dashes and quotes do not matter. */
function comparable(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[‐-―−]/g, '-')
    .replaceAll(/[‘’]/g, "'")
}
