import { Elysia } from 'elysia'

import { type AppError, FetchError, type ErrorKind } from '../core/errors.ts'
import type { FetchSummary } from '../core/fetch-summary.ts'
import { SignInError } from '../core/identity.ts'

/** How a request ended: the kind of its error if there was one, or else what the status says. */
export type ResponseOutcome = ErrorKind | 'ok' | 'redirect' | 'refused' | 'failed'

/** What one request's log line says, beside its time. Neither keys nor queries ever get in here. */
export interface Observation extends Partial<FetchSummary> {
  id: string
  method: string
  /** The pattern of the route, so that a hostile path makes no new one; `-` when there is none. */
  route: string
  /** Of the answer that was sent, redirects, error pages and files included. */
  status: number
  outcome: ResponseOutcome
  /** Whole milliseconds until the answer was ready. */
  ms: number
  cache?: 'HIT' | 'MISS'
  /** The id of the key, which is no secret. */
  key?: string
  /** The host that was asked for. */
  host?: string
  /** Why a fetch or a sign-in failed. */
  failure?: string
  /** More of that: the verdict of a refused address, the code of a system call, or the words that the client is told. */
  detail?: string
}

/** What routes and error handler add to the line. */
export type Note = Partial<Omit<Observation, 'id' | 'method' | 'route' | 'ms'>>

export interface ObserverDeps {
  /** Called once for each request. */
  onRequestEnd: (observation: Observation) => void
  newId: () => string
}

/** Names each request (`X-Request-Id`) and reports each once, when its answer is ready. */
export function createObserver({ onRequestEnd, newId }: ObserverDeps) {
  const open = new WeakMap<Request, { id: string; startedAt: number; note: Note }>()

  return {
    idOf: (request: Request) => open.get(request)?.id,

    /** Adds to the request's line; null adds nothing. */
    note(request: Request, note: Note | null) {
      const observed = open.get(request)
      if (observed) Object.assign(observed.note, note)
    },

    plugin: new Elysia()
      .onRequest(({ request, set }) => {
        const id = newId()
        open.set(request, { id, startedAt: performance.now(), note: {} })
        set.headers['x-request-id'] = id
      })
      .onAfterResponse({ as: 'global' }, ({ request, route, responseValue }) => {
        const observed = open.get(request)
        if (!observed) return
        // Routes answer with a Response; Elysia's `set.status` knows nothing of its status. For errors the error handler
        // has noted the one that it sent.
        const status = responseValue instanceof Response ? responseValue.status : (observed.note.status ?? 200)
        onRequestEnd({
          id: observed.id,
          method: request.method,
          route: route || '-',
          outcome: outcomeOf(status),
          ms: Math.round(performance.now() - observed.startedAt),
          ...observed.note,
          status,
        })
      }),
  }
}

function outcomeOf(status: number): ResponseOutcome {
  if (status < 300) return 'ok'
  if (status < 400) return 'redirect'
  return status < 500 ? 'refused' : 'failed'
}

/** What the line says of an error, beside the status of its answer. */
export function errorNote(error: AppError): Note {
  if (error instanceof FetchError) return { outcome: error.kind, failure: error.failure, detail: detailOf(error) }
  return { outcome: error.kind, ...(error instanceof SignInError && { failure: error.problem }) }
}

function detailOf({ detail, reason, cause }: FetchError): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return detail ?? (code || reason)
}

export type Observer = ReturnType<typeof createObserver>
