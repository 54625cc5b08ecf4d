import { AppError } from '../core/errors.ts'
import { isSigned, sign } from '../core/token.ts'
import type { Form } from './form.ts'

/**
 * Shows that a form came from a page of ours in this very browser: each carries a token that is made of a cookie which
 * no other site can read.
 */
export interface Csrf {
  /** What goes into the hidden field `csrf`. */
  tokenFor(cookie: string): string
  /** @throws AppError `forbidden` for a form that a page elsewhere has sent */
  check(request: Request, cookie: string, form: Form): void
}

export function createCsrf({ secret, baseUrl }: { secret: Uint8Array; baseUrl: () => string }): Csrf {
  return {
    tokenFor: (cookie) => sign(secret, 'csrf', cookie),

    check(request, cookie, form) {
      if (isFromElsewhere(request, baseUrl()) || !isSigned(form('csrf'), secret, 'csrf', cookie)) {
        throw new AppError('forbidden', 'This form is out of date: go back, reload the page and send it again.')
      }
    },
  }
}

/** What `Sec-Fetch-Site` says of our own forms: `none` is a form that the visitor sends again by reloading. */
const OURS = ['same-origin', 'none']

/**
 * What the browser says of where the form was. No page can forge `Sec-Fetch-Site`; browsers leave it out on plain http.
 * `Origin` is `null` for our own forms, since our pages send no referrer (Fetch standard, "append a request Origin
 * header"): then the token decides alone.
 */
function isFromElsewhere({ headers }: Request, baseUrl: string): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return !OURS.includes(site)
  const origin = headers.get('origin')
  return origin !== null && origin !== 'null' && origin !== new URL(baseUrl).origin
}
