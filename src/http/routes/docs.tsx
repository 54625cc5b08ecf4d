import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { PLAN_NAMES, type Plans } from '../../core/plan.ts'
import type { ApiDocument } from '../../../views/docs/api-document.ts'
import { Docs } from '../../../views/docs.tsx'
import type { Door } from '../door.ts'

export interface DocsRouteParts {
  door: Door
  openapi: () => object
  plans: Plans
}

/** `/docs`: the API reference, rendered from the OpenAPI document. */
export const docsRoutes = ({ door, openapi, plans }: DocsRouteParts) =>
  new Elysia()
    .use(door.visitors)
    .get('/docs', ({ visitor }) =>
      visitor.show({ path: '/docs' }, (frame) => (
        <Docs frame={frame} document={openapi() as ApiDocument} plans={PLAN_NAMES.map((name) => plans[name])} />
      )),
    )
