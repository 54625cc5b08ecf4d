import type { ContentKind } from './content-type.ts'
import type { PageEvidence } from '../walls/evidence.ts'
import { type Interstitial, type WallKind, wallKindOf } from '../walls/interstitial.ts'
import type { Metadata } from '../extract/fields/metadata.ts'
import type { FetchMethod } from './page-result.ts'

/** Reasons for rendering pages that are empty without scripts. */
const SHELL_REASONS = {
  template_title: 'The title is a placeholder that a script replaces.',
  empty_mount_point: 'The page is an empty shell that scripts fill.',
  empty_body: 'The page has scripts and almost no text.',
  asks_for_scripts: 'The page asks for JavaScript.',
  no_metadata: 'The page has scripts, but neither a title nor a description.',
}

/** Why a page is rendered or not, in words for users. A closed set. */
export const METHOD_REASONS = {
  forced: 'Rendering was requested.',
  site_always: 'A rule for this site requires rendering.',
  blocked_status: 'The site refused the plain request, so a browser was tried.',
  challenge: 'The plain response was a bot challenge, so a browser was tried.',
  learned: 'The page is an empty shell like the last pages of this host, so it was rendered immediately.',
  consent: 'The site sent a consent page, so a browser was tried.',
  login: 'The site sent a login page instead, so a browser was tried.',
  ...SHELL_REASONS,
  complete: 'The page is complete without scripts.',
  oembed: 'The oEmbed endpoint of the site has the metadata that the page lacks.',
  not_html: 'The response is not HTML.',
  error_status: 'A browser would get the same error status.',
  no_scripts: 'The page has no scripts.',
  site_never: 'A browser might have helped, but a rule for this site disables it.',
  no_browser: 'A browser would have helped, but this server has none.',
  no_time: 'A browser would have helped, but too little of the timeout was left.',
}
export type MethodReason = keyof typeof METHOD_REASONS

export function isShell({ reason }: MethodChoice): boolean {
  return Object.hasOwn(SHELL_REASONS, reason)
}

export interface MethodChoice {
  method: FetchMethod
  reason: MethodReason
}

export interface HttpResult {
  status: number
  kind: ContentKind
  /** Null unless the response is HTML. */
  evidence: PageEvidence | null
  /** Set if the site sent this page instead of the requested page. */
  interstitial: Interstitial | null
}

export interface MethodOptions {
  /** Whether an oEmbed endpoint has returned a title. */
  hasOembed?: boolean
  hasBrowser: boolean
  remainingMs: number
  isForced: boolean
  /** The rule for the site. */
  render?: 'always' | 'never' | undefined
}

/**
 * Rendering takes half a second, or one second if Chromium must be started. With less time left, rendering would time
 * out.
 */
export const MIN_HEADLESS_MS = 1_500

/** Statuses of bot protection and rate limits. With other statuses, such as 404, a browser gets the same response. */
const BLOCK_STATUSES: ReadonlySet<number> = new Set([401, 403, 429, 503])

/** The maximum number of characters in an empty mount point: "Loading, please wait" in any language, not articles. */
const MAX_MOUNT_TEXT = 60

/** The maximum number of characters on a page with an empty mount point: a header, a footer, a loading message. */
const MAX_TEXT_AROUND_MOUNT = 300

const MAX_EMPTY_BODY_TEXT = 60

/** The maximum number of characters on a page that requires JavaScript. Longer pages work without it. */
const MAX_TEXT_ASKING_FOR_SCRIPTS = 300

const FORCED: MethodChoice = { method: 'headless', reason: 'forced' }

const METHOD_AFTER_WALL: Record<WallKind, MethodChoice> = {
  challenge: { method: 'headless', reason: 'challenge' },
  consent: { method: 'headless', reason: 'consent' },
  // Some sites require a sign-in only from clients that are not browsers.
  login: { method: 'headless', reason: 'login' },
}

/** Decides whether to render a page after its plain GET, and why. */
export function chooseMethod(http: HttpResult, options: MethodOptions): MethodChoice {
  const { hasOembed = false, hasBrowser, remainingMs, isForced, render } = options
  const byRule = methodByRule(http)
  const choice = isForced && byRule.reason !== 'not_html' ? FORCED : bySite(byRule, render)
  if (choice.method === 'http') return choice
  if (hasOembed && choice.reason !== 'site_always') return { method: 'http', reason: 'oembed' }
  if (!hasBrowser) return { method: 'http', reason: 'no_browser' }
  if (remainingMs < MIN_HEADLESS_MS) return { method: 'http', reason: 'no_time' }
  return choice
}

/**
 * Whether to request the oEmbed endpoint. True if the page is not the requested page, is a shell, or lacks a title or
 * an image.
 */
export function needsOembed(http: MethodResult): boolean {
  if (methodByRule(http).method === 'headless') return true
  const isPage = http.status < 400 && (http.kind === 'html' || http.kind === 'empty')
  return isPage && (http.metadata.title === undefined || http.metadata.image === undefined)
}

/** A bare shell is empty and has no `og:` tags. */
export function isBareShell(http: HttpResult): boolean {
  return isUsable(http) && http.evidence?.hasOpenGraph === false && methodByRule(http).method === 'headless'
}

/**
 * Applies the rule for the site. The rule does not render errors or files other than HTML, because a browser gets the
 * same response.
 */
function bySite(choice: MethodChoice, render: MethodOptions['render']): MethodChoice {
  const { method, reason } = choice
  if (render === 'never' && method === 'headless') return { method: 'http', reason: 'site_never' }
  const mayRender = reason !== 'not_html' && reason !== 'error_status'
  return render === 'always' && method === 'http' && mayRender ? { method: 'headless', reason: 'site_always' } : choice
}

function methodByRule({ status, kind, evidence, interstitial }: HttpResult): MethodChoice {
  if (BLOCK_STATUSES.has(status)) return { method: 'headless', reason: 'blocked_status' }
  // Checked before the status, because some bot protection sends its challenge with a status such as 405 or 468.
  if (interstitial !== null) return METHOD_AFTER_WALL[wallKindOf(interstitial)]
  if (status >= 400) return { method: 'http', reason: 'error_status' }
  if (kind !== 'html' || evidence === null) return { method: 'http', reason: 'not_html' }
  return methodOfPage(evidence)
}

function methodOfPage(page: PageEvidence): MethodChoice {
  const isComplete = page.hasOpenGraph && page.hasTitle && page.hasDescription
  if (isComplete) return { method: 'http', reason: 'complete' }
  if (page.hasNoScriptTitle) return { method: 'headless', reason: 'asks_for_scripts' }
  if (page.hasTemplateTitle) return { method: 'headless', reason: 'template_title' }
  // The body was not counted, because the head has an og:title.
  if (!page.isBodyRead) return { method: 'http', reason: 'complete' }
  if (page.scriptCount === 0) return { method: 'http', reason: 'no_scripts' }

  const { mountPoint, textLength } = page
  if (mountPoint !== null && mountPoint.textLength <= MAX_MOUNT_TEXT && textLength <= MAX_TEXT_AROUND_MOUNT) {
    return { method: 'headless', reason: 'empty_mount_point' }
  }
  if (page.hasOpenGraph) return { method: 'http', reason: 'complete' }
  if (textLength <= MAX_EMPTY_BODY_TEXT) return { method: 'headless', reason: 'empty_body' }
  if (page.asksForScripts && textLength <= MAX_TEXT_ASKING_FOR_SCRIPTS)
    return { method: 'headless', reason: 'asks_for_scripts' }
  if (!page.hasTitle && !page.hasDescription) return { method: 'headless', reason: 'no_metadata' }
  return { method: 'http', reason: 'complete' }
}

/** The result of one method, for comparing the two. */
export interface MethodResult extends HttpResult {
  metadata: Metadata
}

/**
 * Fields that show that rendering helped. Empty shells also have a favicon and a locale, and type and URL are of little
 * use.
 */
const CONTENT_FIELDS = ['title', 'description', 'image', 'site_name'] as const

/** A usable result is neither an error nor an interstitial. */
export function isUsable({ status, interstitial }: HttpResult): boolean {
  return status < 400 && interstitial === null
}

/** Challenges and login pages say more than their status, which can be 200, 403, 405 or another. */
const IS_CHALLENGE_OR_LOGIN: Record<WallKind, boolean> = { challenge: true, login: true, consent: false }

/** Whether the response is a bot challenge or a login page, regardless of its status. */
export function isChallengeOrLogin({ interstitial }: Pick<HttpResult, 'interstitial'>): boolean {
  return interstitial !== null && IS_CHALLENGE_OR_LOGIN[wallKindOf(interstitial)]
}

/** Whether the result is usable and has metadata that empty shells do not have. */
export function hasContent(result: MethodResult): boolean {
  return isUsable(result) && CONTENT_FIELDS.some((field) => result.metadata[field] !== undefined)
}

/**
 * Whether to return the rendered page. The page must be HTML and neither an error nor an interstitial. If rendering was
 * not requested, the page must also have a field that a usable plain result lacks or has with another value.
 */
export function prefersRendered(http: MethodResult, rendered: MethodResult, isForced: boolean): boolean {
  if (rendered.kind !== 'html' || !isUsable(rendered)) return false
  if (isForced) return true
  const plain: Metadata = isUsable(http) ? http.metadata : {}
  return CONTENT_FIELDS.some((field) => (rendered.metadata[field] ?? plain[field]) !== plain[field])
}
