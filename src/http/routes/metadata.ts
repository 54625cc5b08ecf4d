import { Elysia } from 'elysia'

import type { MeteredApi } from '../api/metered-api.ts'
import { ignoredIn } from '../api/ignored-parameters.ts'
import { type LinkImage, responseWith } from '../api/response-json.ts'
import { queryOf, searchOf } from '../server/query.ts'

/** `GET /v1/metadata`. */
export const metadataRoutes = ({ respond }: MeteredApi, linkImage: LinkImage) => {
  const textOf = responseWith(linkImage)
  return new Elysia({ prefix: '/v1' }).get('/metadata', ({ request, set }) =>
    respond(request, set, {
      keyParameter: () => queryOf(request)('api_key'),
      query: () => searchOf(request),
      ignored: () => ignoredIn(searchOf(request)),
      textOf,
    }),
  )
}
