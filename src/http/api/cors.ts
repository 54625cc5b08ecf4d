import { Elysia } from 'elysia'

import { isApiPath, requestTarget } from '../server/request-target.ts'

/** Response headers that scripts of other origins may read, in addition to the CORS-safelisted ones. */
const EXPOSED_HEADERS =
  'Retry-After, RateLimit, RateLimit-Policy, X-Cache, X-Monthly-Limit, X-Monthly-Remaining, X-Monthly-Reset, ' +
  'X-Monthly-Used, X-Provisional, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id'

/** `traceparent` is sent by scripts that trace their requests. */
const REQUEST_HEADERS = 'X-API-Key, traceparent'
/** `Content-Type` is not a safelisted header of a request with JSON. */
const FORMAT_REQUEST_HEADERS = `${REQUEST_HEADERS}, Content-Type, X-Linkpreview-Api-Key`
/** In seconds. Chromium caches a preflight for at most two hours. */
const PREFLIGHT_MAX_AGE = '7200'

export interface CorsDeps {
  /** The origins whose pages may call the API with this request. */
  originsOf: (request: Request) => readonly string[]
  /** The route patterns of the API. */
  paths: readonly string[]
  /** The methods of a path, including OPTIONS. */
  methodsOf: (path: string) => readonly string[]
}

/**
 * Allows pages of other origins to call the API with a key (https://fetch.spec.whatwg.org/#http-cors-protocol).
 * Credentials are not allowed, because the API uses no cookies.
 */
export function cors({ originsOf, paths, methodsOf }: CorsDeps) {
  const app = new Elysia().onRequest(({ request, set }) => {
    if (!isApiPath(requestTarget(request).path)) return
    set.headers['vary'] = 'Origin'
    const origin = request.headers.get('origin')
    if (origin === null || !originsOf(request).includes(origin)) return
    set.headers['access-control-allow-origin'] = origin
    set.headers['access-control-expose-headers'] = EXPOSED_HEADERS
  })
  for (const path of new Set(paths)) {
    app.options(path, ({ request, set }) => {
      const isAllowed = set.headers['access-control-allow-origin'] !== undefined
      const { path: requested } = requestTarget(request)
      const methods = methodsOf(requested)
      return new Response(null, {
        status: 204,
        headers: {
          allow: methods.join(', '),
          ...(isAllowed && {
            'access-control-allow-methods': methods.filter((method) => method !== 'OPTIONS').join(', '),
            'access-control-allow-headers': requested.startsWith('/v1/') ? REQUEST_HEADERS : FORMAT_REQUEST_HEADERS,
            'access-control-max-age': PREFLIGHT_MAX_AGE,
          }),
        },
      })
    })
  }
  return app
}
