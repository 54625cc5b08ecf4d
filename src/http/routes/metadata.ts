import { Elysia } from 'elysia'

import type { AllowRule } from '../../core/net/egress.ts'
import { apiKeyAuth, type ApiKeyAuthDeps } from '../api/api-key-auth.ts'
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
  /** Unix milliseconds. */
  now: () => number
}

/** `GET /v1/metadata`. Checks in this order: key, client address, parameters, host, limits, cache, fetch. */
export function metadataRoutes(deps: MetadataRouteDeps) {
  const { admission, accessLog, clientOf, allow, allowListId, now } = deps
  const parseQuery = createMetadataQueryParser(allow, allowListId)
  const read = createMeteredReader(deps)

  return new Elysia({ prefix: '/v1' })
    .use(apiKeyAuth({ admission, accessLog, clientOf }))
    .get('/metadata', async ({ request, caller, set }) => {
      const parameters = parseQuery(searchOf(request))
      const metered = await read(request, caller, parameters)
      const { json, cached, isProvisional } = metered.result
      const headers = { 'x-cache': cached ? 'HIT' : 'MISS', ...quotaHeaders({ ...caller, ...metered }, now()) }
      // Returns a string and sets headers separately: to add headers to a Response, Elysia copies it and its body stream.
      Object.assign(set.headers, API_HEADERS, headers)
      if (isProvisional) set.headers['x-provisional'] = 'true'
      const text = withUrl(parameters.url, json)
      const body = gzipped(request, text)
      if (body === null) return text
      set.headers['content-encoding'] = 'gzip'
      set.headers['vary'] = ['Accept-Encoding', set.headers['vary'] ?? []].flat().join(', ')
      return new Response(body)
    })
}

/** Inserts the requested URL as the first property of the stored JSON. */
function withUrl(url: string, resultJson: string): string {
  return `{"url":${JSON.stringify(url)},${resultJson.slice(1)}`
}
