import { Elysia } from 'elysia'

import type { MeteredApi } from '../api/metered-api.ts'
import { ignoredIn } from '../api/ignored-parameters.ts'
import { responseJson } from '../api/response-json.ts'
import { queryOf, searchOf } from '../server/query.ts'

/**
 * `GET /v1/metadata`.
 * @param linkImage returns a link to an image through this server, and counts requests for it against the key; null if
 * the server proxies no images
 */
export const metadataRoutes = ({ respond }: MeteredApi, linkImage: ((keyId: string, url: string) => string) | null) =>
  new Elysia({ prefix: '/v1' }).get('/metadata', ({ request, set }) =>
    respond(request, set, {
      keyParameter: () => queryOf(request)('api_key'),
      query: () => searchOf(request),
      ignored: () => ignoredIn(searchOf(request)),
      textOf: (parameters, result, { keyId }) =>
        responseJson(parameters, result, linkImage && ((image) => linkImage(keyId, image))),
    }),
  )
