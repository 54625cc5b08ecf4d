import type { RestrictionRefusal } from '../../src/core/accounts/key-settings.ts'
import type { ErrorKind, FailureCause, FetchFailure, Refusal } from '../../src/core/errors.ts'

/** Advice; null when the error message is sufficient. */
type Advice = string | null

/** Advice for each fetch failure except `http_status`, whose advice depends on the status. */
const FETCH_ADVICE: Record<Exclude<FetchFailure, 'http_status'>, Advice> = {
  timeout: 'The site was too slow. A longer timeout may help.',
  host_not_found: 'The host name does not exist. Check it for typing errors.',
  connection_refused: 'The host exists, but its web server does not accept connections.',
  egress_proxy: 'The egress proxy of this server did not connect to the site.',
  connection_reset: 'The web server closed the connection.',
  tls_error: 'The certificate of the site is not trusted, or the TLS connection failed.',
  too_many_redirects: 'The page redirects in a loop, often because it requires a cookie or a sign-in.',
  address_not_allowed: 'The URL leads to an address or a port that this server does not fetch.',
  invalid_redirect: 'The page redirects to an invalid URL.',
  response_too_large: 'The response is larger than the limit.',
  invalid_response: 'The server sent an invalid HTTP response.',
  overloaded: 'This server is busy. Try again in a few seconds.',
  not_processed: 'This page, or another one at the same time, could not be processed. Try again in a minute.',
  blocked_by_site:
    'The site sent a bot challenge, a login page or a consent page instead of the page. Apps may get the same, and show no card.',
}

/** Advice for refused requests. Restrictions of a key are not in it, because the advice on them has a link. */
const REQUEST_ADVICE: Partial<Record<ErrorKind, Advice>> = {
  unauthorized: null,
  authentication_limit: null,
  visitor_limit: null,
  image_limit: null,
  month_limit: 'The monthly limit counts requests of keys and of the playground. The Usage page shows when it resets.',
  minute_limit: 'Wait for the next minute, then try again.',
} satisfies Record<Exclude<Refusal, RestrictionRefusal>, Advice>

/** Advice on a failure; null when the error message is sufficient. */
export function adviceOn({ kind, failure, siteStatus }: FailureCause): Advice {
  if (failure === null) return REQUEST_ADVICE[kind] ?? null
  return failure === 'http_status' ? statusAdvice(siteStatus ?? 0) : FETCH_ADVICE[failure]
}

function statusAdvice(status: number): Advice {
  if (status === 401 || status === 403 || status === 429) {
    return 'The site refuses automated requests or requires a sign-in. Apps may get the same response, and show no card.'
  }
  if (status === 404 || status === 410) return 'The page does not exist. Check the URL for typing errors.'
  return status >= 500 ? 'The site has a problem. Try again later.' : null
}
