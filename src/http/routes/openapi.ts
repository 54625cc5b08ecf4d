import { Elysia } from 'elysia'

import { json } from '../json.ts'

/** `/openapi.json`: the OpenAPI document. */
export const openapiRoutes = ({ document }: { document: () => object }) =>
  new Elysia().get('/openapi.json', () => json(document()))
