import { Elysia } from 'elysia'

/** What one request's log line says, beside its time. Neither keys nor queries ever get in here. */
export interface Observation {
  id: string
  method: string
  /** The pattern of the route, so that a hostile path makes no new one; `-` when there is none. */
  route: string
  status: number
  /** `ok`, or the kind of the error. */
  outcome: string
  /** Whole milliseconds until the answer was ready. */
  ms: number
  cache?: 'HIT' | 'MISS'
  /** The id of the key, which is no secret. */
  key?: string
  /** The host that was asked for. */
  host?: string
  /** Why a fetch failed. */
  failure?: string
  /** What the client is not told of it: of a refused address, its verdict. */
  detail?: string
}

/** What routes and error handler add to the line. */
export type Note = Partial<Omit<Observation, 'id' | 'method' | 'route' | 'ms'>>

export interface ObserverParts {
  /** Called once for each request. */
  onRequestEnd: (observation: Observation) => void
  newId: () => string
}

/** Names each request (`X-Request-Id`) and reports each once, when its answer is ready. */
export function createObserver({ onRequestEnd, newId }: ObserverParts) {
  const open = new WeakMap<Request, { id: string; startedAt: number; note: Note }>()

  return {
    idOf: (request: Request) => open.get(request)?.id,

    /** Adds to the request's line. */
    note(request: Request, note: Note) {
      const observed = open.get(request)
      if (observed) Object.assign(observed.note, note)
    },

    plugin: new Elysia()
      .onRequest(({ request, set }) => {
        const id = newId()
        open.set(request, { id, startedAt: performance.now(), note: {} })
        set.headers['x-request-id'] = id
      })
      .onAfterResponse({ as: 'global' }, ({ request, route, set }) => {
        const observed = open.get(request)
        if (!observed) return
        onRequestEnd({
          id: observed.id,
          method: request.method,
          route: route || '-',
          status: typeof set.status === 'number' ? set.status : 200,
          outcome: 'ok',
          ms: Math.round(performance.now() - observed.startedAt),
          ...observed.note,
        })
      }),
  }
}

export type Observer = ReturnType<typeof createObserver>
