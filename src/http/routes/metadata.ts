import { Elysia } from 'elysia'

import { isBrowserKey } from '../../core/accounts/key-settings.ts'
import type { AllowRule } from '../../core/net/egress.ts'
import { type ApiKeyAuthDeps, createApiKeyAuth } from '../api/api-key-auth.ts'
import { createMetadataQueryParser } from '../api/metadata-query.ts'
import { queryOf, searchOf } from '../server/query.ts'
import { createMeteredReader, type MeteredReaderDeps } from '../api/metered-reader.ts'
import { createMeteredResponse } from '../api/metered-response.ts'

export interface MetadataRouteDeps extends ApiKeyAuthDeps, MeteredReaderDeps {
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
  allowListId: () => string
  now: () => number
}

/** `GET /v1/metadata`. Checks in this order: key, origin, client address, parameters, host, limits, cache, fetch. */
export function metadataRoutes(deps: MetadataRouteDeps) {
  const { allow, allowListId } = deps
  const authenticate = createApiKeyAuth(deps)
  const parseQuery = createMetadataQueryParser(allow, allowListId)
  const read = createMeteredReader(deps)
  const respond = createMeteredResponse(deps)

  return (
    new Elysia({ prefix: '/v1' })
      // Authenticated here and not in a hook, because Elysia would wait for the hook even if it returned no promise.
      .get('/metadata', async ({ request, set }) => {
        const authenticated = authenticate({ request, set }, () => queryOf(request)('api_key'))
        const caller = authenticated instanceof Promise ? await authenticated : authenticated
        const parameters = parseQuery(searchOf(request), isBrowserKey(caller))
        const metered = await read(request, caller, parameters)
        return respond({ request, set }, caller.plan, metered, withUrl(parameters.url, metered.result.json))
      })
  )
}

/** Inserts the requested URL as the first property of the stored JSON. */
export function withUrl(url: string, resultJson: string): string {
  return `{"url":${JSON.stringify(url)},${resultJson.slice(1)}`
}
