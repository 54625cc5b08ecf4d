import { Elysia } from 'elysia'

import { requestTarget } from './request-target.ts'

/** Response headers that scripts of other origins may read, in addition to the CORS-safelisted ones. */
const EXPOSED_HEADERS = [
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Cache',
  'X-Monthly-Limit',
  'X-Monthly-Remaining',
  'X-Monthly-Reset',
  'X-Monthly-Used',
  'X-Provisional',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ')

const METHODS = 'GET, HEAD'
/** `traceparent` is sent by scripts that trace their requests. */
const REQUEST_HEADERS = 'X-API-Key, traceparent'
/** In seconds. Chromium caches a preflight for at most two hours. */
const PREFLIGHT_MAX_AGE = '7200'

/**
 * Allows pages of the given origins to call the API with a key (https://fetch.spec.whatwg.org/#http-cors-protocol).
 * Credentials are not allowed, because the API uses no cookies. Without origins, no headers are added and OPTIONS
 * responds with 405.
 */
export function cors(origins: readonly string[]) {
  const app = new Elysia()
  if (origins.length === 0) return app
  return app
    .onRequest(({ request, set }) => {
      if (!requestTarget(request).path.startsWith('/v1/')) return
      set.headers['vary'] = 'Origin'
      const origin = request.headers.get('origin')
      if (origin === null || !origins.includes(origin)) return
      set.headers['access-control-allow-origin'] = origin
      set.headers['access-control-expose-headers'] = EXPOSED_HEADERS
    })
    .options('/v1/metadata', ({ set }) => {
      const isAllowed = set.headers['access-control-allow-origin'] !== undefined
      return new Response(null, {
        status: 204,
        headers: {
          allow: `OPTIONS, ${METHODS}`,
          ...(isAllowed && {
            'access-control-allow-methods': METHODS,
            'access-control-allow-headers': REQUEST_HEADERS,
            'access-control-max-age': PREFLIGHT_MAX_AGE,
          }),
        },
      })
    })
}
