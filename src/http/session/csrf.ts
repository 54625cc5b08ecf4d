import { AppError } from '../../core/errors.ts'
import { isSigned, sign } from '../../core/accounts/token.ts'
import type { Form } from './form.ts'

/** CSRF protection: each form carries a token derived from a cookie that other sites cannot read. */
export type Csrf = ReturnType<typeof createCsrf>

export function createCsrf({ secret, baseUrl }: { secret: Uint8Array; baseUrl: () => string }) {
  /** Whether a form has a valid token and is not from another site. */
  const isValid = (request: Request, cookie: string, form: Form) => {
    const signature = form('csrf').split('.', 1)[0]!
    return !isCrossSite(request, baseUrl()) && isSigned(signature, secret, 'csrf', cookie, userIdIn(form))
  }

  return {
    /** The value of the hidden field `csrf`: a signature, and the id of the signed-in user if there is one. */
    tokenFor: (cookie: string, userId = '') => `${sign(secret, 'csrf', cookie, userId)}.${userId}`,

    isValid,

    /** @throws AppError `form_expired` for a form without a valid token, or from another site */
    check(request: Request, cookie: string, form: Form) {
      if (!isValid(request, cookie, form)) throw expired()
    },

    /**
     * Checks a form without a session, which has no token: a forged form only uses up a visitor's limit.
     * @throws AppError `form_expired` for a form from another site
     */
    checkSite(request: Request) {
      if (isCrossSite(request, baseUrl())) throw expired()
    },
  }
}

/** The id of the user to whom a form was shown; '' for none. It can only be trusted if the token is valid. */
export const userIdIn = (form: Form): string => form('csrf').split('.', 2)[1] ?? ''

const expired = () =>
  new AppError('form_expired', 'This form has expired. Go back, reload the page and submit it again.')

/** `Sec-Fetch-Site` of the dashboard's own forms; `none` is a form resubmitted by reloading. */
const SAME_SITE_VALUES = ['same-origin', 'none']

/**
 * Whether the browser reports another site as the form's origin. Pages cannot forge `Sec-Fetch-Site`; browsers omit it
 * on plain http. `Origin` is `null` for the dashboard's own forms, because its pages send no referrer (Fetch standard,
 * "append a request Origin header"); then only the token decides.
 */
function isCrossSite({ headers }: Request, baseUrl: string): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return !SAME_SITE_VALUES.includes(site)
  const origin = headers.get('origin')
  return origin !== null && origin !== 'null' && origin !== new URL(baseUrl).origin
}
