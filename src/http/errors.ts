import { Elysia } from 'elysia'

import { AppError, FetchError, type Kind, MinuteLimitError, MonthLimitError } from '../core/errors.ts'
import { json } from './json.ts'
import type { Observer } from './observe.ts'

/** The one place that knows status codes. 499, as nginx logs it, reaches nobody: the client has gone. */
const STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  key_limit: 409,
  minute_limit: 429,
  month_limit: 429,
  client_closed: 499,
  internal: 500,
  fetch_failed: 502,
} as const satisfies Record<Kind, number>

export interface ErrorsParts {
  observer: Observer
  /** Methods that a path answers to; empty for unknown paths. */
  methodsOf: (path: string) => string[]
  /** An error nobody expected; the client learns nothing of it. */
  onInternalError: (error: unknown, requestId: string | undefined) => void
}

/** Turns everything that is thrown into `{ "error": … }` with its status and headers. */
export function createErrors({ observer, methodsOf, onInternalError }: ErrorsParts) {
  return new Elysia().onError({ as: 'global' }, ({ error, code, request }) => {
    const methods = methodsOf(pathOf(request))
    const known = toAppError(error, code, methods)
    if (known.kind === 'internal') onInternalError(error, observer.idOf(request))
    const status = STATUS[known.kind]
    observer.note(request, {
      status,
      outcome: known.kind,
      ...(known instanceof FetchError && { failure: known.failure }),
    })
    return json({ error: known.message }, { status, headers: headersOf(known, methods) })
  })
}

/**
 * The path of a request as routes are written. Elysia's own `path` is cut from the URL's eleventh character on, which is
 * too late behind a host of three letters.
 */
function pathOf({ url }: Request): string {
  const path = /^https?:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? ''
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function toAppError(error: unknown, code: string | number, methods: string[]): AppError {
  if (error instanceof AppError) return error
  if (code === 'NOT_FOUND') {
    return methods.length > 0
      ? new AppError('method_not_allowed', 'Method not allowed')
      : new AppError('not_found', 'Not found')
  }
  if (code === 'PARSE') return new AppError('invalid_request', 'Invalid request body')
  return new AppError('internal', 'Internal server error', { cause: error })
}

function headersOf(error: AppError, methods: string[]): Record<string, string> {
  if (error instanceof MinuteLimitError) {
    return {
      'retry-after': String(error.retryAfterSeconds),
      'x-ratelimit-limit': String(error.plan.perMinute),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(error.resetsAt),
    }
  }
  if (error instanceof MonthLimitError) {
    return {
      'x-monthly-limit': String(error.limit),
      'x-monthly-used': String(error.used),
      'x-monthly-reset': error.resetsAt,
    }
  }
  return error.kind === 'method_not_allowed' ? { allow: methods.join(', ') } : {}
}
