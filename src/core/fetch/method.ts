import type { ContentKind } from './content-type.ts'
import type { PageEvidence } from '../walls/evidence.ts'
import { type Interstitial, wallKindOf } from '../walls/interstitial.ts'
import type { Metadata } from '../extract/fields/metadata.ts'
import reasons from './method-reasons.json'
import type { FetchMethod } from './page-result.ts'

/**
 * Why a page is rendered or not, in words for users. A closed set: reasons to render a page, reasons to render it because
 * it is empty without scripts, and reasons not to render it.
 */
export const METHOD_REASONS = { ...reasons.headless, ...reasons.shell, ...reasons.http }
export type MethodReason = keyof typeof METHOD_REASONS

export function isShell({ reason }: MethodChoice): boolean {
  return Object.hasOwn(reasons.shell, reason)
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

/** Decides whether to render a page after its plain GET, and why. */
export function chooseMethod(http: HttpResult, options: MethodOptions): MethodChoice {
  const reason = reasonWith(options, reasonOf(http))
  return { method: isToRender(reason) ? 'headless' : 'http', reason }
}

const isToRender = (reason: MethodReason) => !Object.hasOwn(reasons.http, reason)

function reasonWith(options: MethodOptions, ofPage: MethodReason): MethodReason {
  const { hasOembed = false, hasBrowser, remainingMs, isForced, render } = options
  const reason = isForced && ofPage !== 'not_html' ? 'forced' : reasonBySite(ofPage, render)
  if (!isToRender(reason)) return reason
  if (hasOembed && reason !== 'site_always') return 'oembed'
  if (!hasBrowser) return 'no_browser'
  return remainingMs < MIN_HEADLESS_MS ? 'no_time' : reason
}

/**
 * Whether to request the oEmbed endpoint. True if the page is not the requested page, is a shell, or lacks a title or
 * an image.
 */
export function needsOembed(http: MethodResult): boolean {
  if (isToRender(reasonOf(http))) return true
  const isPage = http.status < 400 && (http.kind === 'html' || http.kind === 'empty')
  return isPage && (http.metadata.title === undefined || http.metadata.image === undefined)
}

/** A bare shell is empty and has no `og:` tags. */
export function isBareShell(http: HttpResult): boolean {
  return isUsable(http) && http.evidence?.hasOpenGraph === false && isToRender(reasonOf(http))
}

/**
 * Applies the rule for the site. The rule does not render errors or files other than HTML, because a browser gets the
 * same response.
 */
function reasonBySite(reason: MethodReason, render: MethodOptions['render']): MethodReason {
  if (render === 'never' && isToRender(reason)) return 'site_never'
  const mayRender = reason !== 'not_html' && reason !== 'error_status'
  return render === 'always' && !isToRender(reason) && mayRender ? 'site_always' : reason
}

function reasonOf({ status, kind, evidence, interstitial }: HttpResult): MethodReason {
  if (BLOCK_STATUSES.has(status)) return 'blocked_status'
  // Checked before the status, because some bot protection sends its challenge with a status such as 405 or 468.
  // A login too: some sites require a sign-in only from clients that are not browsers.
  if (interstitial !== null) return wallKindOf(interstitial)
  if (status >= 400) return 'error_status'
  return kind !== 'html' || evidence === null ? 'not_html' : reasonOfPage(evidence)
}

function reasonOfPage(page: PageEvidence): MethodReason {
  if (page.hasOpenGraph && page.hasTitle && page.hasDescription) return 'complete'
  if (page.hasNoScriptTitle) return 'asks_for_scripts'
  if (page.hasTemplateTitle) return 'template_title'
  // The body was not counted, because the head has an og:title.
  if (!page.isBodyRead) return 'complete'
  if (page.scriptCount === 0) return 'no_scripts'

  const { mountPoint, textLength } = page
  if (mountPoint !== null && mountPoint.textLength <= MAX_MOUNT_TEXT && textLength <= MAX_TEXT_AROUND_MOUNT) {
    return 'empty_mount_point'
  }
  if (page.hasOpenGraph) return 'complete'
  if (textLength <= MAX_EMPTY_BODY_TEXT) return 'empty_body'
  if (page.asksForScripts && textLength <= MAX_TEXT_ASKING_FOR_SCRIPTS) return 'asks_for_scripts'
  return page.hasTitle || page.hasDescription ? 'complete' : 'no_metadata'
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

/**
 * Whether the response is a bot challenge or a login page. Both say more than their status, which can be 200, 403, 405 or
 * another.
 */
export function isChallengeOrLogin({ interstitial }: Pick<HttpResult, 'interstitial'>): boolean {
  return interstitial !== null && interstitial !== 'consent'
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
