import { Elysia } from 'elysia'

import { compressed } from '../compression.ts'
import { API_HEADERS } from '../json.ts'

/** `/openapi.json`: the OpenAPI document, readable by scripts of every origin. */
export const openapiRoutes = ({ document }: { document: () => object }) => {
  // Built once: it does not change while the server listens, and building it for each request would delay others.
  let text: string | undefined
  return new Elysia().get('/openapi.json', ({ request }) => {
    const headers = { ...API_HEADERS, 'access-control-allow-origin': '*' }
    return compressed(request, (text ??= JSON.stringify(document())), { headers })
  })
}
