import { Html } from '@elysiajs/html'

import { type AppError, MinuteLimitError } from '../core/errors.ts'
import { type IdentityProvider, SignInError } from '../core/identity.ts'
import { parseOwnPath } from '../core/own-path.ts'
import { ErrorPage } from '../../views/error-page.tsx'
import { SignIn } from '../../views/sign-in.tsx'
import { type Door, redirect } from './door.ts'
import { requestTarget } from './request-target.ts'

export interface ErrorPagesParts {
  door: Door
  providers: readonly Pick<IdentityProvider, 'id' | 'label'>[]
}

export interface FailedRequest {
  request: Request
  error: AppError
  status: number
  headers: Record<string, string>
  requestId: string | undefined
}

/** The error page for browsers; null for other clients, which get JSON. */
export type ErrorPages = (failed: FailedRequest) => Promise<Response | null>

/** The API always responds with JSON; other paths with pages for clients that accept HTML. */
function wantsPage(request: Request): boolean {
  const readsPages = request.headers.get('accept')?.includes('text/html') ?? false
  return readsPages && !requestTarget(request).path.startsWith('/v1/')
}

export function createErrorPages({ door, providers }: ErrorPagesParts): ErrorPages {
  return async ({ request, error, status, headers, requestId }) => {
    if (!wantsPage(request)) return null
    if (error.kind === 'sign_in_required') return redirect(signInPath(request))

    const visitor = await door.admit(request).catch(() => door.stranger(request))
    const shown = { path: requestTarget(request).path, status, headers: Object.entries(headers) }
    if (error instanceof SignInError) {
      return visitor.show({ ...shown, path: '/sign-in' }, (frame) => (
        <SignIn frame={frame} providers={[...providers]} next={null} problem={error.problem} />
      ))
    }
    return visitor.show(shown, (frame) => (
      <ErrorPage
        frame={frame}
        status={status}
        isFormExpired={error.kind === 'form_expired'}
        message={error.kind === 'form_expired' || REDUNDANT_MESSAGES.includes(error.message) ? null : error.message}
        retryAfterSeconds={error instanceof MinuteLimitError ? error.retryAfterSeconds : null}
        requestId={requestId ?? null}
      />
    ))
  }
}

/** Messages that only repeat what the page says for their status. */
const REDUNDANT_MESSAGES: readonly string[] = ['Not found', 'Method not allowed', 'Internal server error']

/** The sign-in page, which leads back to the requested page. A submitted form is lost. */
function signInPath(request: Request): string {
  const { path, search } = requestTarget(request)
  const next = request.method === 'GET' ? parseOwnPath(path + search) : null
  return next === null || next === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`
}
