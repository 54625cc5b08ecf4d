import { Elysia } from 'elysia'

import { compressed } from '../server/compression.ts'
import { API_HEADERS } from '../server/json.ts'

/** `/openapi.json`: the OpenAPI document, readable by scripts of every origin. */
export const openapiRoutes = ({ document }: { document: () => object }) =>
  new Elysia().get('/openapi.json', ({ request }) => {
    const headers = { ...API_HEADERS, 'access-control-allow-origin': '*' }
    return compressed(request, JSON.stringify(document()), { headers })
  })
