import { Elysia } from 'elysia'

import type { AllowRule } from '../../core/net/egress.ts'
import { type ApiKeyAuthDeps, createApiKeyAuth } from '../api/api-key-auth.ts'
import { gzipped } from '../server/compression.ts'
import { API_HEADERS } from '../server/json.ts'
import { quotaHeaders } from '../api/limit-headers.ts'
import { createMetadataQueryParser } from '../api/metadata-query.ts'
import { searchOf } from '../server/query.ts'
import { createMeteredReader, type MeteredReaderDeps } from '../api/metered-reader.ts'

export interface MetadataRouteDeps extends ApiKeyAuthDeps, MeteredReaderDeps {
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
  allowListId: () => string
  now: () => number
}

/** `GET /v1/metadata`. Checks in this order: key, client address, parameters, host, limits, cache, fetch. */
export function metadataRoutes(deps: MetadataRouteDeps) {
  const { allow, allowListId, now } = deps
  const authenticate = createApiKeyAuth(deps)
  const parseQuery = createMetadataQueryParser(allow, allowListId)
  const read = createMeteredReader(deps)

  return (
    new Elysia({ prefix: '/v1' })
      // Authenticated here and not in a hook, because Elysia would wait for the hook even if it returned no promise.
      .get('/metadata', async ({ request, set }) => {
        const authenticated = authenticate(request)
        const caller = authenticated instanceof Promise ? await authenticated : authenticated
        const parameters = parseQuery(searchOf(request))
        const metered = await read(request, caller, parameters)
        const { json, cached, layer, isProvisional } = metered.result
        const cache = cached ? 'HIT' : 'MISS'
        deps.accessLog.add(request, layer ? { cache, cacheLayer: layer } : { cache })
        // Returns a string and sets headers separately: to add headers to a Response, Elysia copies it and its body stream.
        Object.assign(set.headers, API_HEADERS, quotaHeaders(caller.plan, metered, now()))
        set.headers['x-cache'] = cache
        if (isProvisional) set.headers['x-provisional'] = 'true'
        const text = withUrl(parameters.url, json)
        const body = gzipped(request, text)
        if (body === null) return text
        set.headers['content-encoding'] = 'gzip'
        set.headers['vary'] = ['Accept-Encoding', set.headers['vary'] ?? []].flat().join(', ')
        return new Response(body)
      })
  )
}

/** Inserts the requested URL as the first property of the stored JSON. */
function withUrl(url: string, resultJson: string): string {
  return `{"url":${JSON.stringify(url)},${resultJson.slice(1)}`
}
