import { Elysia } from 'elysia'

import { json } from '../json.ts'

/** `/openapi.json`: the description of this service at its public address. */
export const openapiRoutes = ({ document }: { document: () => object }) =>
  new Elysia().get('/openapi.json', () => json(document()))
