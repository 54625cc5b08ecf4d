import { Elysia } from 'elysia'

import { alertMessage } from '../../core/usage/alerts.ts'
import type { ApiDocument } from '../../../views/docs/api-document.ts'
import { DocsPage } from '../../../views/docs.tsx'
import { compressed } from '../server/compression.ts'
import { API_HEADERS } from '../server/json.ts'
import type { RouteContext } from './route-context.ts'

const WEBHOOK_EXAMPLE = alertMessage({
  id: '5f0c1a52-8d1e-4b0e-9a43-6a0c9a2d7b11',
  month: '2026-11',
  threshold: 80,
  used: 800,
  limit: 1_000,
  key: null,
  createdAtMs: Date.UTC(2026, 10, 20, 12),
})

/** `/openapi.json`: the OpenAPI document, readable by scripts of every origin; `/docs`: the API reference made from it. */
export const docsRoutes = ({ auth, openapi, settings }: RouteContext) =>
  new Elysia()
    .get('/openapi.json', ({ request }) =>
      compressed(request, JSON.stringify(openapi()), {
        headers: { ...API_HEADERS, 'access-control-allow-origin': '*' },
      }),
    )
    .use(auth.optionalUser)
    .get('/docs', ({ context }) =>
      context.render({ path: '/docs' }, DocsPage, {
        document: openapi() as ApiDocument,
        plans: Object.values(settings().plans),
        webhookExample: WEBHOOK_EXAMPLE,
      }),
    )
