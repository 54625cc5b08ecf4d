import { getDomain } from 'tldts'

import type { PageEvidence } from './evidence.ts'
import type { Interstitial } from './interstitial.ts'
import { isRequestedLogin, loginSiteName } from './login-wall.ts'
import type { Metadata } from '../extract/fields/metadata.ts'
import type { Site } from '../sites/site-rule.ts'

/** The parts of a response that the rules for the site read. */
export interface SiteResponse {
  status: number
  url: URL
  /** The requested URL and the redirects that led to the response, without the response itself. */
  previousUrls: readonly URL[]
  site: Site
  metadata: Metadata
  evidence: Pick<PageEvidence, 'hasNoScriptTitle'> | null
}

/** Recognizes a wall by the rules of its site; null for other pages. */
export function siteWallOf({ status, url, previousUrls, site, metadata, evidence }: SiteResponse): Interstitial | null {
  const { titles = [], challengeTitles = [], challengeStatuses = [], challengePaths = [] } = site.walls ?? {}
  const { title = '' } = metadata
  if (challengeStatuses.includes(status)) return 'other_challenge'
  if (challengePaths.some((path) => `${url.pathname}/`.includes(`${path.replace(/\/$/, '')}/`)))
    return 'other_challenge'
  if (status < 400 && isOneOf(title, challengeTitles)) return 'other_challenge'
  // A title such as "JavaScript is not available." is not part of the metadata.
  const isGeneric = isTitleOfWall(title, site) || (titles.length > 0 && evidence?.hasNoScriptTitle === true)
  return status < 400 && isGeneric && !isForHomeOrLogin(previousUrls, url) ? 'login' : null
}

/** Whether a title belongs to the site itself, to its login page in any language, or to one of its challenges. */
export function isTitleOfWall(title: string, { walls: { titles = [], challengeTitles = [] } = {} }: Site): boolean {
  return isOneOf(title, titles) || isOneOf(loginSiteName(title) ?? '', titles) || isOneOf(title, challengeTitles)
}

function isOneOf(title: string, all: readonly string[]): boolean {
  const text = comparable(title)
  return text !== '' && all.some((one) => comparable(one) === text)
}

/** Whether the home page or a login page of the site was requested, possibly by a short link of another site. */
function isForHomeOrLogin(previousUrls: readonly URL[], url: URL): boolean {
  const domain = getDomain(url.hostname)
  const requested = previousUrls.find(({ hostname }) => getDomain(hostname) === domain) ?? url
  return requested.pathname === '/' || isRequestedLogin(requested)
}

/** Normalizes a title for comparison: case and the kinds of dashes, quotes and ellipses do not matter. */
function comparable(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[‐-―−]/g, '-')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll('…', '...')
}
