import { Elysia } from 'elysia'

import type { Failure } from '../core/formats/format.ts'
import { FORMATS } from '../core/formats/formats.ts'
import { parseAddress } from '../core/net/address.ts'
import { IDLE_TIMEOUT_MS, MAX_REQUEST_BODY_BYTES } from '../core/limits.ts'
import { cors, type CorsDeps } from './api/cors.ts'
import { createMeteredApi, type MeteredApiDeps } from './api/metered-api.ts'
import { createDashboard } from './dashboard.ts'
import { createErrorPages } from './errors/error-page.ts'
import { createErrors, type ErrorsDeps } from './errors/errors.ts'
import { createAccessLog, type AccessLogDeps } from './server/access-log.ts'
import { type ClientOfDeps, createClientOf, type PeerOf } from './server/remote-addresses.ts'
import type { PreviewServices } from './routes/playground/playground-context.ts'
import type { DashboardServices } from './routes/route-context.ts'
import { formatRoutes } from './routes/formats.ts'
import { type HealthRouteDeps, healthRoutes } from './routes/health.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { metadataRoutes } from './routes/metadata.ts'
import { type MetricsRouteDeps, metricsRoutes } from './routes/metrics.ts'
import { type PublicImageRouteDeps, publicImagePath, publicImageRoutes } from './routes/public-image.ts'

export interface ServerDeps
  extends
    Omit<MeteredApiDeps, 'accessLog' | 'clientOf'>,
    HealthRouteDeps,
    Omit<MetricsRouteDeps, 'peerOf' | 'clientOf'>,
    Pick<PublicImageRouteDeps, 'publicImages'>,
    Pick<AccessLogDeps, 'newId' | 'onRequestEnd'>,
    Omit<ClientOfDeps, 'peerOf'>,
    Pick<CorsDeps, 'corsOrigins'>,
    Pick<ErrorsDeps, 'onInternalError' | 'onSignInError'> {
  dashboard: DashboardServices & PreviewServices
}

/** One year, in seconds. Does not include subdomains, because other services may run on subdomains. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000'

/** A name has at most 253 characters. Bun takes quadratic time to parse a URL whose host is percent-encoded. */
const MAX_HOST_CHARACTERS = 300

/** Creates the HTTP server, which is not yet listening. */
export function createServer(deps: ServerDeps) {
  const { baseUrl } = deps.dashboard
  // Reads `app.server`, because a handler that reads `server` from its context makes Elysia define that property on
  // each request.
  const peerOf: PeerOf = (request) => parseAddress(app.server?.requestIP(request)?.address ?? '')
  const clientOf = createClientOf({ ...deps, peerOf })
  const accessLog = createAccessLog({ ...deps, peerOf })
  let routes: readonly { path: string; method: string }[] = []
  // Elysia handles HEAD for every GET route without listing it.
  const methodsOf = (path: string) =>
    routes
      // Without `corsOrigins`, OPTIONS only exists for preflights from the origins of keys, and is not listed.
      .filter(({ method }) => method !== 'OPTIONS' || deps.corsOrigins.length > 0)
      .filter((route) => matchesRoute(route.path, path))
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const dashboard = createDashboard(deps.dashboard, { accessLog, clientOf })
  const { publicImages } = deps
  const linkImage =
    publicImages && ((keyId: string, url: string) => baseUrl() + publicImagePath(publicImages.link(keyId, url)))
  const meteredApi = createMeteredApi({ ...deps, accessLog, clientOf })
  const api = metadataRoutes(meteredApi, linkImage)
  const formats = formatRoutes(meteredApi, deps.dashboard.incomingBodies)
  const mcp = mcpRoutes({
    ...deps.dashboard,
    api: meteredApi,
    accessLog,
    linkImage,
    now: deps.now,
  })
  const paths = [...api.routes, ...formats.routes, ...mcp.routes].map(({ path }) => path)
  const errorBody = (path: string, failure: Failure): object =>
    FORMATS.find((format) => matchesRoute(format.path, path))?.failure(failure) ?? { error: failure.message }
  const app = new Elysia({
    // By default Elysia searches for the path from the eleventh character of the URL, which skips the path's start
    // after a short host.
    handler: { standardHostname: false },
    serve: {
      // In seconds.
      idleTimeout: IDLE_TIMEOUT_MS / 1_000,
      maxRequestBodySize: MAX_REQUEST_BODY_BYTES,
      // In development mode, Bun sends stack traces and source code to the client.
      development: false,
      // Elysia enables `reusePort` by default; a second server could then listen on the same port and get some of the
      // requests.
      reusePort: false,
    },
  })
    // Must be before anything reads the URL.
    .wrap((handle, { headers }) =>
      (headers.get('host')?.length ?? 0) > MAX_HOST_CHARACTERS ? () => new Response(null, { status: 400 }) : handle,
    )
    .use(accessLog.plugin)
    .onRequest(({ set }) => {
      // Asks clients to close their connections while requests are still accepted, so that no connection is closed as a
      // request arrives.
      if (deps.isStopping()) set.headers['connection'] = 'close'
      // Browsers then use only https (RFC 6797). On plain http, they ignore the header.
      if (baseUrl().startsWith('https:')) set.headers['strict-transport-security'] = STRICT_TRANSPORT_SECURITY
    })
    // Must be before the routes: hooks apply only to routes registered after them.
    .use(createErrors({ ...deps, accessLog, methodsOf, errorPages: createErrorPages(dashboard), errorBody }))
    .use(cors({ ...deps, paths, methodsOf }))
    .use(healthRoutes(deps))
    .use(metricsRoutes({ ...deps, peerOf, clientOf }))
    .use(dashboard.routes)
    .use(api)
    .use(formats)
    .use(mcp)
    .use(publicImageRoutes({ ...deps, accessLog, clientOf }))
  routes = app.routes
  return app
}

/** Whether a path matches a route pattern, where `:name` matches one segment. */
function matchesRoute(route: string, path: string): boolean {
  const pattern = route.split('/')
  // Limited, because a path can have 100,000 segments.
  const segments = path.split('/', pattern.length + 1)
  return pattern.length === segments.length && pattern.every((part, i) => part.startsWith(':') || part === segments[i])
}
