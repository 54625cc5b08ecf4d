import { type Context, Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'

import type { Keys } from '../../core/accounts/ports.ts'
import { BROWSER_KEY_REFUSALS, notAllowed } from '../../core/accounts/key-settings.ts'
import { AppError } from '../../core/errors.ts'
import { parseWebOrigin } from '../../core/net/web-origin.ts'
import { isApiPath, pathOf } from '../server/request-path.ts'

/** Response headers that scripts of other origins may read, in addition to the CORS-safelisted ones. */
const EXPOSED_HEADERS =
  'Retry-After, RateLimit, RateLimit-Policy, X-Cache, X-Ignored-Parameters, X-Monthly-Limit, X-Monthly-Remaining, ' +
  'X-Monthly-Reset, X-Monthly-Used, X-Provisional, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id'

/**
 * Request headers that scripts of other origins may send. Editor.js sends `X-Requested-With`, Microlink's client sends
 * `User-Agent`, tracing uses `traceparent` and `tracestate` (W3C Trace Context), and agents send those with `Mcp`.
 */
const REQUEST_HEADERS =
  'X-API-Key, Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, User-Agent, ' +
  'X-Linkpreview-Api-Key, X-Requested-With, traceparent, tracestate'
/** In seconds. Chromium caches a preflight for at most two hours. */
const PREFLIGHT_MAX_AGE = '7200'

/** The maximum number of cached origins, about 4 MB. Clients can invent any number of origins. */
const MAX_ORIGINS = 10_000

/** How long a lookup is cached. A change of keys may go unnoticed for this time. */
const KEPT_MS = 1_000

/** Whether at least one key allows requests from pages of an origin. */
export type OriginLookup = (origin: string) => Promise<boolean>

/**
 * Looks up origins for preflights, which have no key. A request with a key is always checked against that key's own
 * origins.
 */
export function createOriginLookup({ keys, now }: { keys: Keys; now: () => number }): OriginLookup {
  const fetchMethod = (origin: string) => keys.isOriginAllowed(origin, now())
  const answers = new LRUCache<string, boolean>({ max: MAX_ORIGINS, ttl: KEPT_MS, fetchMethod })
  return async (origin) => parseWebOrigin(origin) === origin && (await answers.fetch(origin)) === true
}

export interface CorsDeps {
  /** The origins whose pages may call the API with every key that has no origins of its own. */
  corsOrigins: readonly string[]
  isOriginAllowed: OriginLookup
  /** The route patterns of the API. */
  paths: readonly string[]
  /** The methods of a path, including OPTIONS if there are `corsOrigins`. */
  methodsOf: (path: string) => readonly string[]
}

export type CorsContext = Pick<Context, 'request' | 'set'>

/** Lets pages of `origin` read the response; null lets no page read it. */
export function allowOrigin({ headers }: Context['set'], origin: string | null) {
  headers['vary'] = 'Origin'
  if (origin === null) {
    delete headers['access-control-allow-origin']
    delete headers['access-control-expose-headers']
    return
  }
  headers['access-control-allow-origin'] = origin
  headers['access-control-expose-headers'] = EXPOSED_HEADERS
}

/**
 * Checks that a page of one of these origins sent the request, and lets it read the response.
 * @throws AppError `origin_not_allowed`
 */
export function requireOrigin({ request, set }: CorsContext, origins: readonly string[]): void {
  const origin = request.headers.get('origin')
  const isAllowed = origin !== null && origins.includes(origin)
  // This also overrides URLMETA_CORS_ORIGINS.
  allowOrigin(set, isAllowed ? origin : null)
  if (!isAllowed) throw notAllowed('allowedOrigins')
  if (request.method !== 'GET') throw new AppError('origin_not_allowed', BROWSER_KEY_REFUSALS.method)
}

/**
 * Allows pages of other origins to call the API with a key (https://fetch.spec.whatwg.org/#http-cors-protocol).
 * Credentials are not allowed, because the API uses no cookies. A preflight has no key, so the origins of all keys are
 * allowed.
 */
export function cors({ corsOrigins, isOriginAllowed, paths, methodsOf }: CorsDeps) {
  const app = new Elysia()
  if (corsOrigins.length > 0) {
    app.onRequest(({ request, set }) => {
      if (!isApiPath(pathOf(request))) return
      const origin = request.headers.get('origin')
      allowOrigin(set, origin !== null && corsOrigins.includes(origin) ? origin : null)
    })
  }
  for (const path of new Set(paths)) {
    app.options(path, async ({ request, set }) => {
      const origin = request.headers.get('origin') ?? ''
      const isConfigured = corsOrigins.includes(origin)
      const isAllowed = isConfigured || (await isOriginAllowed(origin))
      if (!isAllowed && corsOrigins.length === 0) throw new AppError('method_not_allowed', 'Method not allowed')
      allowOrigin(set, isAllowed ? origin : null)
      const methods = methodsOf(pathOf(request))
      const allowed = isConfigured ? methods.filter((method) => method !== 'OPTIONS') : ['GET']
      return new Response(null, {
        status: 204,
        headers: {
          allow: methods.join(', '),
          ...(isAllowed && {
            'access-control-allow-methods': allowed.join(', '),
            'access-control-allow-headers': REQUEST_HEADERS,
            'access-control-max-age': PREFLIGHT_MAX_AGE,
          }),
        },
      })
    })
  }
  return app
}
