import { Elysia } from 'elysia'

import { isBrowserKey } from '../../core/accounts/key-settings.ts'
import type { MeteredApi } from '../api/metered-api.ts'
import { responseJson } from '../api/metered-response.ts'
import { queryOf, searchOf } from '../server/query.ts'

/** `GET /v1/metadata`. Checks in this order: key, origin, client address, parameters, host, limits, cache, fetch. */
export const metadataRoutes = ({ authenticate, parseQuery, read, respond, linkImage }: MeteredApi) =>
  new Elysia({ prefix: '/v1' })
    // Authenticated here and not in a hook, because Elysia would wait for the hook even if it returned no promise.
    .get('/metadata', async ({ request, set }) => {
      const authenticated = authenticate({ request, set }, () => queryOf(request)('api_key'))
      const caller = authenticated instanceof Promise ? await authenticated : authenticated
      const parameters = parseQuery(searchOf(request), isBrowserKey(caller))
      const metered = await read(request, caller, parameters)
      const pictureOf = linkImage && ((image: string) => linkImage(caller.keyId, image))
      return respond({ request, set }, caller.plan, metered, responseJson(parameters, metered.result, pictureOf))
    })
