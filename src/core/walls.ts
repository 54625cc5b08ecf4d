import type { Defence } from './defences.ts'
import type { PageEvidence } from './extract/evidence.ts'
import type { Interstitial } from './extract/interstitial.ts'
import { isLoginWall } from './login-wall.ts'
import type { Metadata } from './metadata.ts'
import { siteWallOf } from './site-walls.ts'
import type { Site } from './site-rule.ts'

/** A response and what was extracted from it. */
export interface Answered {
  status: number
  /** The URL of the response. */
  url: URL
  /** The requested URL and the redirects that led to the response, without the response itself. */
  asked: readonly URL[]
  /** By the response's head. */
  defence: Defence | null
  /** The rules for the host of the response. */
  site: Site
  metadata: Metadata
  /** Null unless the response is HTML. */
  evidence: PageEvidence | null
}

/** Most characters of visible text on a page that an uncertain sign makes a challenge. */
const MAX_CHALLENGE_TEXT = 500

/** Statuses with which a login page may come. Others, such as 404, are that of the page it stands for. */
const LOGIN_STATUSES: ReadonlySet<number> = new Set([401, 403, 429])

/** The page in front of the wanted one that a response is, or null. The most certain signs decide first. */
export function wallOf(answered: Answered): Interstitial | null {
  const { status, defence, evidence } = answered
  if (defence !== null && (defence.isCertain || looksEmpty(answered))) return defence.name
  if (evidence?.interstitial) return evidence.interstitial
  const siteWall = siteWallOf(answered)
  if (siteWall !== null) return siteWall
  return (status < 400 || LOGIN_STATUSES.has(status)) && isLoginPage(answered) ? 'login' : null
}

/** Whether a page has neither a description nor text, as challenges do and pages that a defence let through do not. */
function looksEmpty({ status, evidence }: Answered): boolean {
  if (evidence === null || status >= 400) return false
  return !evidence.hasOpenGraph && !evidence.hasDescription && evidence.textLength <= MAX_CHALLENGE_TEXT
}

function isLoginPage({ asked, url, metadata, evidence }: Answered): boolean {
  return isLoginWall({
    asked,
    url,
    title: metadata.title ?? '',
    textLength: evidence?.isBodyRead ? evidence.textLength : null,
    hasPasswordField: evidence?.hasPasswordField ?? false,
    isArticle: metadata.type?.toLowerCase() === 'article' || metadata.meta?.published_time !== undefined,
  })
}
