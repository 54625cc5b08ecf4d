import type { RestrictionRefusal } from '../../src/core/accounts/key-settings.ts'
import type { ErrorKind, FailureCause, FetchFailure, Refusal } from '../../src/core/errors.ts'
import { wallText } from './failures.tsx'
import fetchAdvice from './fetch-advice.json'
import requestAdvice from './request-advice.json'

/** Advice; null when the error message is sufficient. */
type Advice = string | null

/** Advice for each fetch failure except `http_status`, whose advice depends on the status. */
const FETCH_ADVICE: Record<Exclude<FetchFailure, 'http_status'>, string> = fetchAdvice

/** Advice for refused requests. Restrictions of a key are not in it, because the advice on them has a link. */
const REQUEST_ADVICE: Partial<Record<ErrorKind, Advice>> = requestAdvice satisfies Record<
  Exclude<Refusal, RestrictionRefusal>,
  Advice
>

/** Advice on a failure; null when the error message is sufficient. */
export function adviceOn({ kind, failure, siteStatus, interstitial }: FailureCause): Advice {
  if (failure === null) return REQUEST_ADVICE[kind] ?? null
  if (failure === 'blocked_by_site' && interstitial) {
    return `The site sent a ${wallText(interstitial)} instead of the page. Apps may get the same, and show no card.`
  }
  return failure === 'http_status' ? statusAdvice(siteStatus ?? 0) : FETCH_ADVICE[failure]
}

function statusAdvice(status: number): Advice {
  if (status === 401 || status === 403 || status === 429) {
    return 'The site refuses automated requests or requires a sign-in. Apps may get the same response, and show no card.'
  }
  if (status === 404 || status === 410) return 'The page does not exist. Check the URL for typing errors.'
  return status >= 500 ? 'The site has a problem. Try again later.' : null
}
