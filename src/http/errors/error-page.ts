import { type AppError, MinuteLimitError } from '../../core/errors.ts'
import { SignInError } from '../../core/accounts/identity.ts'
import { parseLocalPath } from '../../core/accounts/local-path.ts'
import { ErrorPage } from '../../../views/error-page.tsx'
import { SignInPage, type SignInProps } from '../../../views/sign-in.tsx'
import type { Auth } from '../session/auth.ts'
import { redirect } from '../session/request-context.ts'
import { searchOf } from '../server/query.ts'
import { isApiPath, pathOf } from '../server/request-path.ts'

export interface FailedRequest {
  request: Request
  error: AppError
  status: number
  headers: Record<string, string>
  requestId: string | undefined
}

/** The error page for browsers; null for other clients, which get JSON. */
export type ErrorPages = (failed: FailedRequest) => Promise<Response | null>

/**
 * Whether the response is a page. The API always responds with JSON; other paths respond with pages to clients that
 * accept HTML.
 */
function acceptsHtml(request: Request): boolean {
  const readsPages = request.headers.get('accept')?.includes('text/html') ?? false
  return readsPages && !isApiPath(pathOf(request))
}

export function createErrorPages({ auth, providers }: { auth: Auth } & Pick<SignInProps, 'providers'>): ErrorPages {
  return async ({ request, error, status, headers, requestId }) => {
    if (!acceptsHtml(request)) return null
    if (error.kind === 'sign_in_required') {
      const signIn = signInPath(request)
      if (request.method !== 'POST') return redirect(signIn)
      const notice = pathOf(request) === '/sign-out' ? 'signed_out' : 'form_not_processed'
      // A form that cannot be read is not kept as a draft.
      return auth.redirectWithNotice(signIn, notice, await auth.draftCookies(request).catch(() => []))
    }

    const context = await auth.errorContext(request)
    const options = { path: pathOf(request), status, headers: Object.entries(headers) }
    if (error instanceof SignInError) {
      const props = { providers, next: null, problem: error.problem }
      return context.render({ ...options, path: '/sign-in' }, SignInPage, props)
    }
    const isFormExpired = error.kind === 'form_expired'
    return context.render(options, ErrorPage, {
      status,
      isFormExpired,
      message: isFormExpired || REDUNDANT_MESSAGES.includes(error.message) ? null : error.message,
      retryAfterSeconds: error instanceof MinuteLimitError ? error.retryAfterSeconds : null,
      requestId: requestId ?? null,
    })
  }
}

/** Messages that only repeat the title of the error page. */
const REDUNDANT_MESSAGES: readonly string[] = ['Not found', 'Method not allowed', 'Internal server error']

/**
 * Matches the path of a page with a form. The form's own path may have more segments. The page's path is not read from
 * `Referer`, because pages send no `Referer`.
 */
const FORM_PAGE =
  /^\/(?:account|keys(?:\/[^/]+)?|usage\/requests|playground(?:\/results\/[^/]+)?|admin(?:\/users\/[^/]+|\/invite)?)(?=\/|$)/

/** The path of the sign-in page, which redirects back to the requested page, or to the page of the submitted form. */
function signInPath(request: Request): string {
  const path = pathOf(request)
  const next = parseLocalPath(request.method === 'GET' ? path + searchOf(request) : (FORM_PAGE.exec(path)?.[0] ?? null))
  return next === null || next === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`
}
