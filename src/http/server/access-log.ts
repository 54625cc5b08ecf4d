import { Elysia } from 'elysia'

import { type AppError, FetchError, type ErrorKind } from '../../core/errors.ts'
import type { RequestDetails } from '../../core/fetch/summary.ts'
import { SignInError } from '../../core/accounts/identity.ts'
import type { AddressRange } from '../../core/net/address.ts'
import { isTrusted } from '../../core/net/client-address.ts'
import type { RequestRecord } from '../../service/operation/statistics.ts'
import { messageWithCause, StoreError } from '../../core/store-fault.ts'
import type { PeerOf } from './remote-addresses.ts'
import { parseTraceparent, type TraceContext } from './trace-context.ts'

/** Common formats of request ids: UUIDs, hexadecimal, base64, ids of cloud load balancers. */
const REQUEST_ID = /^[\w.:=+/@-]{1,128}$/

/** The outcome of a request: the kind of its error, or else a class of statuses. */
export type ResponseOutcome = ErrorKind | 'ok' | 'redirect' | 'refused' | 'failed'

/** The fields of a request's log line, besides its time. Must not contain API keys or query strings. */
export interface AccessLogEntry extends RequestRecord, RequestDetails, Partial<TraceContext> {
  id: string
  method: string
  /** The route pattern, so that the number of distinct values is bounded; `-` when no route matches. */
  route: string
  /** The status of the response, including redirects, error pages and files. */
  status: number
  outcome: ResponseOutcome
  /** Whole milliseconds until the response was ready. */
  ms: number
  /** The id of the key, which is not secret. */
  key?: string
  /**
   * More detail: why the key no longer works, the verdict on a refused address, a system error code, or the error message
   * for the client.
   */
  detail?: string
}

/** Fields that routes and the error handler add to the log line. */
export type AccessLogFields = Partial<Omit<AccessLogEntry, 'id' | 'method' | 'route' | 'status' | 'ms'>>

/** Not part of the log line. */
export interface RequestOwner {
  userId: string
  keyId: string
  /** The path of the requested URL; null for users who do not log URLs. */
  path: string | null
  /** Why the key no longer works: the result of `endReason`. Absent for a key that works. */
  rejection?: string
}

export interface AccessLogDeps {
  /** Ranges of proxies whose X-Request-Id is kept. */
  trustedProxies: readonly AddressRange[]
  newId: () => string
  peerOf: PeerOf
  /**
   * Called once for each request. `elapsedMs` is `ms` before rounding: a cached response takes less than 1 ms. `owner` is
   * null for requests without a known key.
   */
  onRequestEnd: (entry: AccessLogEntry, elapsedMs: number, owner: RequestOwner | null) => void
}

/** Assigns an id to each request (`X-Request-Id`) and reports each request once, when its response is ready. */
export function createAccessLog({ trustedProxies, newId, peerOf, onRequestEnd }: AccessLogDeps) {
  const pending = new WeakMap<
    Request,
    { id: string; startedAt: number; fields: AccessLogFields; owner: RequestOwner | null }
  >()

  function requestIdOf(request: Request): string {
    const given = request.headers.get('x-request-id')
    if (given === null || !REQUEST_ID.test(given)) return newId()
    const peer = peerOf(request)
    return peer !== null && isTrusted(peer, trustedProxies) ? given : newId()
  }

  /** The fields of the request's log line. The caller may set them. */
  const fieldsOf = (request: Request): AccessLogFields => pending.get(request)?.fields ?? {}

  /** Reports a request whose response is ready, unless it has been reported. Fields that are added later are ignored. */
  function end(request: Request, route: string | undefined, status: number): void {
    const observed = pending.get(request)
    if (observed === undefined) return
    pending.delete(request)
    const elapsedMs = performance.now() - observed.startedAt
    const entry: AccessLogEntry = {
      id: observed.id,
      method: request.method,
      route: route || '-',
      outcome: outcomeOf(status),
      ms: Math.round(elapsedMs),
      ...observed.fields,
      status,
    }
    onRequestEnd(entry, elapsedMs, observed.owner)
  }

  return {
    idOf: (request: Request) => pending.get(request)?.id,
    fieldsOf,
    end,

    /** Adds fields to the request's log line; null adds nothing. */
    add: (request: Request, fields: AccessLogFields | null) => void Object.assign(fieldsOf(request), fields),

    /**
     * Sets the user and key of the request. The key is also a field of its log line. With null, the request is not in
     * the user's request log.
     */
    attribute(request: Request, owner: RequestOwner | null) {
      const observed = pending.get(request)
      if (observed === undefined) return
      observed.owner = owner
      if (owner === null) return
      observed.fields.key = owner.keyId
      if (owner.rejection !== undefined) observed.fields.detail = owner.rejection
    },

    plugin: new Elysia()
      .onRequest(({ request, set }) => {
        const id = requestIdOf(request)
        const traceparent = request.headers.get('traceparent')
        const trace = traceparent === null ? null : parseTraceparent(traceparent)
        pending.set(request, { id, startedAt: performance.now(), fields: { ...trace }, owner: null })
        set.headers['x-request-id'] = id
        // Returned unchanged, because this service creates no spans.
        if (trace !== null) set.headers['traceparent'] = traceparent!
      })
      // Not `onAfterResponse`: Elysia would schedule a task after each response, which takes 5 % of the CPU time of a
      // cached response. Routes return a Response, whose status is not in Elysia's `set.status`.
      .mapResponse({ as: 'global' }, ({ request, route, responseValue }) => {
        end(request, route, responseValue instanceof Response ? responseValue.status : 200)
      }),
  }
}

function outcomeOf(status: number): ResponseOutcome {
  if (status < 300) return 'ok'
  if (status < 400) return 'redirect'
  // The status of a page that shows a form again with its errors.
  if (status === 400) return 'invalid_request'
  return status < 500 ? 'refused' : 'failed'
}

export function errorFields(error: AppError): AccessLogFields {
  if (error instanceof FetchError) {
    const { kind, failure, siteStatus } = error
    return { outcome: kind, failure, ...(siteStatus !== undefined && { siteStatus }), detail: detailOf(error) }
  }
  if (error.kind === 'fetch_failed') return { outcome: error.kind, detail: error.message }
  if (error.cause instanceof StoreError) return { outcome: error.kind, detail: messageWithCause(error.cause) }
  return { outcome: error.kind, ...(error instanceof SignInError && { failure: error.problem }) }
}

function detailOf({ detail, reason, cause }: FetchError): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return detail ?? (code || reason)
}

export type AccessLog = ReturnType<typeof createAccessLog>
