import { Elysia } from 'elysia'

import type { SignInError } from '../core/identity.ts'
import { IDLE_TIMEOUT_MS, MAX_REQUEST_BODY_BYTES } from '../core/limits.ts'
import { createDashboard, type DashboardDeps } from './dashboard.ts'
import { createErrorPages } from './error-page.tsx'
import { createErrors } from './errors.ts'
import { hsts } from './hsts.ts'
import { createObserver, type Observation } from './observe.ts'
import { type HealthRouteDeps, healthRoutes } from './routes/health.ts'
import { type MetadataRouteDeps, metadataRoutes } from './routes/metadata.ts'
import { openapiRoutes } from './routes/openapi.ts'

export interface ServerDeps extends Omit<MetadataRouteDeps, 'observer'>, HealthRouteDeps {
  dashboard: DashboardDeps
  openapi: () => object
  newId: () => string
  /** Called once for each request, when its answer is ready. */
  onRequestEnd: (observation: Observation) => void
  onInternalError: (error: unknown, requestId: string | undefined) => void
  /** Nobody was signed in after an attempt. */
  onSignInError: (error: SignInError, requestId: string | undefined) => void
}

/** The whole HTTP side, not yet listening. */
export function createServer(deps: ServerDeps) {
  const observer = createObserver(deps)
  let routes: readonly { path: string; method: string }[] = []
  // Elysia answers HEAD wherever it answers GET, without naming it among its routes.
  const methodsOf = (path: string) =>
    routes
      .filter((route) => isUnder(route.path, path))
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const dashboard = createDashboard(deps.dashboard)
  const app = new Elysia({
    serve: {
      // In seconds.
      idleTimeout: IDLE_TIMEOUT_MS / 1_000,
      maxRequestBodySize: MAX_REQUEST_BODY_BYTES,
      // Otherwise Bun shows what it fails with, source and stack, to whoever asked.
      development: false,
      // Elysia turns this on: a second server would then share the port, and requests would go to either.
      reusePort: false,
    },
  })
    .use(observer.plugin)
    .use(hsts(deps.dashboard.baseUrl))
    // Before the routes: hooks reach only what is registered after them.
    .use(createErrors({ ...deps, observer, methodsOf, errorPages: createErrorPages(dashboard) }))
    .use(healthRoutes(deps))
    .use(openapiRoutes({ document: deps.openapi }))
    .use(dashboard.routes({ observer }))
    .use(metadataRoutes({ ...deps, observer }))
  routes = app.routes
  return app
}

/** Whether a path is one of a route's, `:name` standing for any one segment. */
function isUnder(route: string, path: string): boolean {
  const [pattern, segments] = [route.split('/'), path.split('/')]
  return pattern.length === segments.length && pattern.every((part, i) => part.startsWith(':') || part === segments[i])
}

export type Server = ReturnType<typeof createServer>
