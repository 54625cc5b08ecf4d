import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { PLAN_NAMES, type Plans } from '../../core/plan.ts'
import type { ApiDocument } from '../../../views/docs/api-document.ts'
import { DocsPage } from '../../../views/docs.tsx'
import type { Auth } from '../auth.ts'

export interface DocsRouteDeps {
  auth: Auth
  openapi: () => object
  plans: Plans
}

/** `/docs`: the API reference, rendered from the OpenAPI document. */
export const docsRoutes = ({ auth, openapi, plans }: DocsRouteDeps) =>
  new Elysia()
    .use(auth.optionalUser)
    .get('/docs', ({ context }) =>
      context.render({ path: '/docs' }, (frame) => (
        <DocsPage frame={frame} document={openapi() as ApiDocument} plans={PLAN_NAMES.map((name) => plans[name])} />
      )),
    )
