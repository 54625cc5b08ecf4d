import texts from './error-texts.json'
import { isOwnLimit, type Limits, limitScope } from './plan.ts'

/** Why the API refuses a request before it does any work. The metrics count each reason. */
export const REFUSALS = [
  'unauthorized',
  /** Too many failed authentications from the client's address. */
  'authentication_limit',
  /** The key may not be used from the client's address. */
  'client_not_allowed',
  /** The key may not request pages of the host. */
  'host_not_allowed',
  /** The key does not allow the origin of the page, or does not allow pages to make such a request. */
  'origin_not_allowed',
  /** Too many requests from the address of one visitor. */
  'visitor_limit',
  /** Too many images loaded with a key. */
  'image_limit',
  'minute_limit',
  'month_limit',
] as const
export type Refusal = (typeof REFUSALS)[number]

/** Every way a request can fail. `src/http/errors/errors.ts` maps each to a status; the compiler keeps that map total. */
export type ErrorKind =
  | Refusal
  | 'invalid_request'
  /** The metrics require their bearer token. */
  | 'token_required'
  | 'sign_in_required'
  | 'sign_in_failed'
  | 'forbidden'
  | 'form_expired'
  /** A signed-in user has loaded too many pages. */
  | 'page_limit'
  | 'key_limit'
  | 'key_rate_limit'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_implemented'
  | 'fetch_failed'
  /** The client closed the connection before the response. */
  | 'client_closed'
  | 'internal'

/** An error that is shown to the caller. `message` is public; `cause` is only logged. */
export class AppError extends Error {
  override name = 'AppError'
  constructor(
    readonly kind: ErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** The message of a thrown value, which may not be an Error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/**
 * Why a page could not be fetched, with the text for callers; a closed set that the log, the metrics and tests share.
 * - `egress_proxy`: the operator's proxy did not connect to the site. Callers are not told that there is a proxy.
 * - `overloaded`: too many fetches are already waiting.
 * - `not_processed`: the thread that processed the page was ended, because of this page or another page at the same
 *   time.
 */
const REASONS = texts.fetchFailures

export type FetchFailure = keyof typeof REASONS
export const FETCH_FAILURES = Object.keys(REASONS) as FetchFailure[]

interface FetchErrorOptions extends ErrorOptions {
  /** Replaces the text of the failure, for example to add the time. */
  reason?: string
  /** Only logged. */
  detail?: string | undefined
  /** The status of the site's response, for `http_status`. */
  siteStatus?: number | undefined
}

/** `reason` is the stable text after `Failed to fetch URL: `. */
export class FetchError extends AppError {
  override name = 'FetchError'
  readonly reason: string
  readonly detail: string | undefined
  readonly siteStatus: number | undefined
  constructor(
    readonly failure: FetchFailure,
    { reason = REASONS[failure], detail, siteStatus, ...options }: FetchErrorOptions = {},
  ) {
    super('fetch_failed', `Failed to fetch URL: ${reason}`, options)
    this.reason = reason
    this.detail = detail
    this.siteStatus = siteStatus
  }
}

/**
 * The label of a failure: `timeout`; `http_status 404`, because a missing page differs from a broken site;
 * `blocked_by_site consent`, because a consent page differs from a bot challenge.
 */
export function failureReason(
  failure: string,
  { siteStatus, interstitial }: { siteStatus?: number; interstitial?: string },
): string {
  const fact = failure === 'blocked_by_site' ? interstitial : siteStatus
  return fact === undefined ? failure : `${failure} ${fact}`
}

export class MinuteLimitError extends AppError {
  override name = 'MinuteLimitError'
  constructor(
    readonly limits: Limits,
    /** Unix second at which the next minute begins. */
    readonly resetsAt: number,
    /** Whole seconds until `resetsAt`, at least 1. */
    readonly retryAfterSeconds: number,
  ) {
    super(
      'minute_limit',
      `Rate limit exceeded: ${limits.perMinute} requests per minute allowed ${limitScope(limits, 'perMinute')}. ` +
        `Retry in ${retryAfterSeconds} seconds.`,
    )
  }
}

/** The part of the message after the number. */
const CLIENT_LIMITS = texts.clientLimits

export type ClientLimit = keyof typeof CLIENT_LIMITS

/** A limit per minute was reached: for requests of a client address, pages of a user, or images loaded with a key. */
export class ClientLimitError extends AppError {
  override name = 'ClientLimitError'
  constructor(
    kind: ClientLimit,
    perMinute: number,
    /** Whole seconds until the next minute, at least 1. */
    readonly retryAfterSeconds: number,
  ) {
    super(kind, `Rate limit exceeded: ${perMinute} ${CLIENT_LIMITS[kind]}. Retry in ${retryAfterSeconds} seconds.`)
  }
}

export class MonthLimitError extends AppError {
  override name = 'MonthLimitError'
  constructor(
    readonly used: number,
    readonly limits: Limits,
    /** First instant of the next month, ISO 8601 with `Z`. */
    readonly resetsAt: string,
  ) {
    const advice = isOwnLimit(limits, 'perMonth') ? 'Ask the operator for a higher limit' : 'Upgrade your plan'
    super('month_limit', `Monthly limit reached: ${used}/${limits.perMonth} requests used. ${advice} to continue.`)
  }
}

export interface FailureCause {
  kind: ErrorKind
  /** Why the page could not be fetched; null for every other kind. */
  failure: FetchFailure | null
  /** The status of the site's response; null unless `failure` is `http_status`. */
  siteStatus: number | null
  /**
   * What the site sent instead of the page, of the type `Interstitial`; only used if `failure` is `blocked_by_site`.
   */
  interstitial?: string | undefined
}
