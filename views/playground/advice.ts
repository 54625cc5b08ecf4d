import type { FetchFailure, ErrorKind } from '../../src/core/errors.ts'

/** Why the API answered with an error. */
export interface FailureCause {
  kind: ErrorKind
  /** Why the page could not be fetched; null for every other kind. */
  failure: FetchFailure | null
  /** The status that the site answered with; null unless `failure` is `http_status`. */
  siteStatus: number | null
}

/** One sentence on what to do, or none where the error says all there is. */
type Advice = string | null

/** What to do when a page cannot be fetched, except for `http_status`, where it depends on the status. */
const FETCH_ADVICE: Record<Exclude<FetchFailure, 'http_status'>, Advice> = {
  timeout: 'The site was too slow. A longer timeout may help.',
  host_not_found: 'No such name is known. Look for a slip in the address.',
  connection_refused: 'The machine is there, but its web server does not answer.',
  connection_reset: 'The machine is there, but its web server does not answer.',
  tls_error: 'The certificate of the site cannot be trusted, so nothing was read.',
  too_many_redirects: 'The page sends visitors around in circles, often for want of a cookie or a sign-in.',
  address_not_allowed: 'The name leads to a private or special address. Those are never fetched.',
  invalid_redirect: 'The page leads to something that is no web address.',
  response_too_large: 'The answer is larger than what is read of any page.',
  invalid_response: 'What the server sent is not valid HTTP.',
  overloaded: 'This server is busy. Try again in a few seconds.',
  blocked_by_site: 'The site answered with a check for robots instead of the page.',
}

/** What to do when the request itself was refused. */
const REQUEST_ADVICE: Partial<Record<ErrorKind, string>> = {
  month_limit: 'The playground spends your own month. Usage shows when it starts again.',
  minute_limit: 'Wait for the next minute, then try again.',
}

/** What to do about a failure; null where the error says all there is. */
export function adviceOn({ kind, failure, siteStatus }: FailureCause): Advice {
  if (failure === null) return REQUEST_ADVICE[kind] ?? null
  return failure === 'http_status' ? statusAdvice(siteStatus ?? 0) : FETCH_ADVICE[failure]
}

function statusAdvice(status: number): Advice {
  if (status === 401 || status === 403 || status === 429) {
    return 'The site refuses visitors like this one, or asks for a sign-in.'
  }
  if (status === 404 || status === 410) {
    return 'The site says there is no such page. Look for a slip in the address.'
  }
  return status >= 500 ? 'The site itself has trouble. Try again later.' : null
}
