import type { PageEvidence } from './extract/evidence.ts'
import type { FetchMethod, Metadata } from './metadata.ts'
import type { ContentKind } from './ports.ts'

/** Why a page is rendered, or why it is not; a closed set that log and `--explain` share. */
export type MethodReason =
  // headless:
  | 'forced'
  /** A status with which sites turn away what is no browser. */
  | 'blocked_status'
  /** The answer is a challenge of a bot defence. */
  | 'challenge'
  /** The title is a template that a script fills in. */
  | 'template_title'
  /** A framework's element that its scripts are to fill. */
  | 'empty_mount_point'
  /** A body of nothing but scripts. */
  | 'empty_body'
  /** The page itself says that it needs scripts. */
  | 'asks_for_scripts'
  /** Scripts, but no og: tag, no title and no description. */
  | 'no_metadata'
  // http:
  | 'complete'
  | 'not_html'
  | 'error_status'
  /** A question of consent, which a browser would be asked as well. */
  | 'consent'
  /** There is nothing that a browser would run. */
  | 'no_scripts'
  | 'no_browser'
  | 'no_time'

export interface MethodChoice {
  method: FetchMethod
  reason: MethodReason
}

/** What the plain GET brought. */
export interface HttpResult {
  status: number
  kind: ContentKind
  /** Null for what is not HTML. */
  evidence: PageEvidence | null
}

/** What else the choice depends on. */
export interface MethodMeans {
  hasBrowser: boolean
  remainingMs: number
  isForced: boolean
}

/** A warm Chromium shows a page in half a second, a cold one in one; with less time left it would be started in vain. */
export const MIN_HEADLESS_MS = 1_500

/** Bot defences and rate limits. 404, 410 and the like mean the same to a browser. */
const BLOCK_STATUSES: ReadonlySet<number> = new Set([401, 403, 429, 503])

/** Characters a mount point may hold and still be empty: "Loading, please wait" in any language, not an article. */
const MAX_MOUNT_TEXT = 60

/** Characters around an empty mount point: a header, a footer, a line for the impatient. */
const MAX_TEXT_AROUND_MOUNT = 300

/** Characters of a whole body that has only scripts to show. */
const MAX_EMPTY_BODY_TEXT = 60

/** Characters up to which a plea for scripts is all there is; sites that work without them often say it too. */
const MAX_TEXT_BESIDE_PLEA = 300

const FORCED: MethodChoice = { method: 'headless', reason: 'forced' }

/** Whether a page is to be rendered once its plain answer is there, and why. */
export function chooseMethod(http: HttpResult, { hasBrowser, remainingMs, isForced }: MethodMeans): MethodChoice {
  const byRule = wishedMethod(http)
  const wish = isForced && byRule.reason !== 'not_html' ? FORCED : byRule
  if (wish.method === 'http') return wish
  if (!hasBrowser) return { method: 'http', reason: 'no_browser' }
  if (remainingMs < MIN_HEADLESS_MS) return { method: 'http', reason: 'no_time' }
  return wish
}

function wishedMethod({ status, kind, evidence }: HttpResult): MethodChoice {
  if (BLOCK_STATUSES.has(status)) return { method: 'headless', reason: 'blocked_status' }
  // Some defences answer a challenge with a status of their own, such as 405 or 468.
  const interstitial = evidence?.interstitial ?? null
  if (interstitial === 'consent') return { method: 'http', reason: 'consent' }
  if (interstitial !== null) return { method: 'headless', reason: 'challenge' }
  if (status >= 400) return { method: 'http', reason: 'error_status' }
  if (kind !== 'html' || evidence === null) return { method: 'http', reason: 'not_html' }
  return methodOfPage(evidence)
}

function methodOfPage(page: PageEvidence): MethodChoice {
  const isComplete = page.hasOpenGraph && page.hasTitle && page.hasDescription
  if (isComplete) return { method: 'http', reason: 'complete' }
  if (page.hasTemplateTitle) return { method: 'headless', reason: 'template_title' }
  // A head that ends the reading has an og:title; of the body nothing is known then.
  if (!page.isBodyRead) return { method: 'http', reason: 'complete' }
  if (page.scriptCount === 0) return { method: 'http', reason: 'no_scripts' }

  const { mountPoint, textLength } = page
  if (mountPoint !== null && mountPoint.textLength <= MAX_MOUNT_TEXT && textLength <= MAX_TEXT_AROUND_MOUNT) {
    return { method: 'headless', reason: 'empty_mount_point' }
  }
  if (page.hasOpenGraph) return { method: 'http', reason: 'complete' }
  if (textLength <= MAX_EMPTY_BODY_TEXT) return { method: 'headless', reason: 'empty_body' }
  if (page.asksForScripts && textLength <= MAX_TEXT_BESIDE_PLEA)
    return { method: 'headless', reason: 'asks_for_scripts' }
  if (!page.hasTitle && !page.hasDescription) return { method: 'headless', reason: 'no_metadata' }
  return { method: 'http', reason: 'complete' }
}

/** What one way of reading a page brought, for comparing two. */
export interface Look extends HttpResult {
  metadata: Metadata
}

/** What a reader sees of a page. Favicon and language stand in shells already, and types and URLs say little alone. */
const TELLING_FIELDS = ['title', 'description', 'image', 'site_name'] as const

/** Whether there is something to answer with: no error and no interstitial. */
export function isUsable({ status, evidence }: HttpResult): boolean {
  return status < 400 && (evidence?.interstitial ?? null) === null
}

/**
 * Whether the rendered page is what the caller gets. It must be a page and no block. Beside a usable plain answer it must
 * say something that the plain one does not, unless it was asked for; instead of a block it must say anything at all.
 */
export function prefersRendered(http: Look, rendered: Look, isForced: boolean): boolean {
  if (rendered.kind !== 'html' || !isUsable(rendered)) return false
  if (isForced) return true
  const known: Metadata = isUsable(http) ? http.metadata : {}
  return TELLING_FIELDS.some((field) => (rendered.metadata[field] ?? known[field]) !== known[field])
}
