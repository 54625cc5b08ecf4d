import { isConsentRedirect } from './consent.ts'
import type { BotDefense } from './bot-defenses.ts'
import type { PageEvidence } from './evidence.ts'
import type { Interstitial } from './interstitial.ts'
import { isLoginWall } from './login-wall.ts'
import { type SiteResponse, siteWallOf } from './site-walls.ts'

export interface ExtractedResponse extends SiteResponse {
  /** Recognized by the head of the response. */
  defense: BotDefense | null
  /** Null unless the response is HTML. */
  evidence: PageEvidence | null
}

/** The maximum number of visible characters on a challenge with an uncertain sign. */
const MAX_CHALLENGE_TEXT = 500

/**
 * The limit for a page without scripts. Such a page cannot be a challenge: it only refuses the request, in a short
 * sentence.
 */
const MAX_CHALLENGE_TEXT_WITHOUT_SCRIPTS = 60

/** Login pages have these error statuses. Other statuses, such as 404, describe the requested page. */
const LOGIN_STATUSES: ReadonlySet<number> = new Set([401, 403, 429])

/**
 * Recognizes a page sent instead of the requested page; null for other pages. The most certain signs are checked first.
 */
export function wallOf(response: ExtractedResponse): Interstitial | null {
  const { status, defense, evidence } = response
  if (defense !== null && (defense.isCertain || looksEmpty(response))) return defense.name
  if (evidence?.interstitial) return evidence.interstitial
  if (status < 400 && isConsentRedirect(response.url, response.previousUrls)) return 'consent'
  const siteWall = siteWallOf(response)
  if (siteWall !== null) return siteWall
  return (status < 400 || LOGIN_STATUSES.has(status)) && isLoginPage(response) ? 'login' : null
}

/** Whether a page has no description and little text, like a challenge. */
function looksEmpty({ status, evidence }: ExtractedResponse): boolean {
  if (evidence === null || status >= 400) return false
  const { hasOpenGraph, hasDescription, scriptCount, textLength } = evidence
  if (hasOpenGraph || hasDescription) return false
  return textLength <= (scriptCount > 0 ? MAX_CHALLENGE_TEXT : MAX_CHALLENGE_TEXT_WITHOUT_SCRIPTS)
}

function isLoginPage({ previousUrls, url, metadata, evidence }: ExtractedResponse): boolean {
  return isLoginWall({
    previousUrls,
    url,
    title: metadata.title ?? '',
    textLength: evidence?.isBodyRead ? evidence.textLength : null,
    hasPasswordField: evidence?.hasPasswordField ?? false,
    isArticle: metadata.type?.toLowerCase() === 'article' || metadata.meta?.published_time !== undefined,
  })
}
