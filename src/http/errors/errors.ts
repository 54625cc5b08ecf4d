import { Elysia } from 'elysia'

import { AppError, type ErrorKind } from '../../core/errors.ts'
import type { Failure } from '../../core/formats/format.ts'
import { SignInError, type SignInProblem } from '../../core/accounts/identity.ts'
import type { ErrorPages } from './error-page.ts'
import { json } from '../server/json.ts'
import { refusalHeaders } from '../api/limit-headers.ts'
import { errorFields, type AccessLog } from '../server/access-log.ts'
import { pathOf } from '../server/request-path.ts'
import responses from './error-responses.json'

/** The status of each kind of error, only defined here. 499 is only logged, as in nginx, because the client is gone. */
const STATUS: Readonly<Record<ErrorKind, number>> = responses.statuses
const SIGN_IN_STATUS: Readonly<Record<SignInProblem, number>> = responses.signInStatuses

/**
 * `WWW-Authenticate` headers, which RFC 9110 requires of every 401 response. No registered scheme covers API keys in a
 * header or sessions, so these are commonly used names; `Cookie` is from draft-broyer-http-cookie-auth.
 */
const CHALLENGES: Partial<Record<ErrorKind, string>> = responses.challenges

export function statusOf(error: AppError): number {
  return error instanceof SignInError ? SIGN_IN_STATUS[error.problem] : STATUS[error.kind]
}

/**
 * The message and status of an error that a page shows beside its form. Adds the error to the log line.
 * @throws other errors, and `not_found`, because then there is no page to show
 */
export function shownError(accessLog: AccessLog, request: Request, error: unknown): { error: string; status: number } {
  if (!(error instanceof AppError) || error.kind === 'not_found') throw error
  accessLog.add(request, errorFields(error))
  return { error: error.message, status: statusOf(error) }
}

export interface ErrorsDeps {
  accessLog: AccessLog
  /** The methods of a path; empty for unknown paths. */
  methodsOf: (path: string) => string[]
  /** Called for unexpected errors, which are not disclosed to the client. */
  onInternalError: (error: unknown, requestId: string | undefined) => void
  onSignInError: (error: SignInError, requestId: string | undefined) => void
  errorPages: ErrorPages
  /** The JSON of an error in the format of a path. */
  errorBody: (path: string, failure: Failure) => object
  now: () => number
}

/**
 * Turns every thrown error into a response with its status and headers: `{ "error": … }`, the error format of the
 * route, or an error page.
 */
export function createErrors(deps: ErrorsDeps) {
  const { accessLog, methodsOf, onInternalError, onSignInError, errorPages, errorBody, now } = deps
  return new Elysia().onError({ as: 'global' }, async ({ error, code, request, route }) => {
    const path = pathOf(request)
    const methods = methodsOf(path)
    const appError = toAppError(error, code, methods.length > 0 && !methods.includes(request.method))
    const requestId = accessLog.idOf(request)
    const { kind, message } = appError
    if (kind === 'internal') onInternalError(error, requestId)
    if (appError instanceof SignInError) onSignInError(appError, requestId)
    const status = statusOf(appError)
    const headers = { ...refusalHeaders(appError, now()), ...headersOf(appError, methods) }
    const errorPage = await errorPages({ request, error: appError, status, headers, requestId }).catch(
      (pageError: unknown) => void onInternalError(pageError, requestId),
    )
    const response = errorPage ?? json(errorBody(path, { kind, status, message }), { status, headers })
    accessLog.add(request, errorFields(appError))
    // Elysia calls no `mapResponse` hook for unknown paths. The status may differ from the error's: the response can be
    // a redirect to the sign-in page.
    accessLog.end(request, route, response.status)
    return response
  })
}

function toAppError(error: unknown, code: string | number, isOtherMethod: boolean): AppError {
  if (error instanceof AppError) return error
  if (code === 'NOT_FOUND' && isOtherMethod) return new AppError('method_not_allowed', 'Method not allowed')
  if (code === 'NOT_FOUND') return new AppError('not_found', 'Not found')
  if (code === 'PARSE') return new AppError('invalid_request', 'Invalid request body')
  return new AppError('internal', 'Internal server error', { cause: error })
}

function headersOf(error: AppError, methods: string[]): Record<string, string> {
  const challenge = CHALLENGES[error.kind]
  if (challenge !== undefined) return { 'www-authenticate': challenge }
  // Sign-in attempts are counted per clock minute.
  if (error instanceof SignInError && error.problem === 'too_many_attempts') return { 'retry-after': '60' }
  return error.kind === 'method_not_allowed' ? { allow: methods.join(', ') } : {}
}
