import { DAY_MS, HOUR_MS, MINUTE_MS } from './duration.ts'

/* How long data is kept, sessions last and links work. docs/data-retention.md has the same values. */

/** Audit log, daily usage and usage alerts: 13 months, so that a month can be compared with the same month of last year. */
export const HISTORY_RETENTION_MS = 397 * DAY_MS

export const REQUEST_LOG_RETENTION_MS = 7 * DAY_MS

/** Deactivated and expired keys are kept longer than the 90 days of the longest chart by day. */
export const INACTIVE_KEY_RETENTION_MS = 100 * DAY_MS

/** The page of a playground result can be reloaded for this time. */
export const PLAYGROUND_RETENTION_MS = HOUR_MS

/** Enough for a discussion about a shared result. */
export const SHARED_RESULT_MS = 7 * DAY_MS

/**
 * After this time without a page that needed a browser, pages of a host are no longer rendered early, because sites
 * change. A page that needs no browser ends early rendering immediately. Results are cached for a day by default, so
 * pages may be a day apart.
 */
export const RENDERED_HOST_RETENTION_MS = 7 * DAY_MS

export const SESSION_IDLE_MS = 7 * DAY_MS

/** Every session expires after thirty days, even when in use. */
export const SESSION_MAX_MS = 30 * DAY_MS

/** The time to complete a sign-in at the provider. */
export const SIGN_IN_ATTEMPT_MS = 10 * MINUTE_MS

/** Enough time to copy a link from a terminal. */
export const SIGN_IN_LINK_MS = 15 * MINUTE_MS

/** Enough time for an invitation that the operator sends by email. */
export const INVITATION_MS = 7 * DAY_MS
