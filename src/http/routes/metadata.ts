import { Elysia } from 'elysia'

import type { AllowRule } from '../../core/net/egress.ts'
import { AppError } from '../../core/errors.ts'
import { fetchSummary } from '../../core/fetch/summary.ts'
import { isHostAllowed } from '../../core/accounts/key-settings.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import { HOST_NOT_ALLOWED } from '../../service/admission.ts'
import type { CachedReader } from '../../service/cached-reader.ts'
import { apiKeyAuth, type ApiKeyAuthDeps } from '../api-key-auth.ts'
import { gzipped } from '../compression.ts'
import { API_HEADERS } from '../json.ts'
import { quotaHeaders } from '../limit-headers.ts'
import { createMetadataQueryParser } from '../metadata-query.ts'

export interface MetadataRouteDeps extends ApiKeyAuthDeps {
  cachedReader: CachedReader
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
  allowListId: () => string
  /** Unix milliseconds. */
  now: () => number
}

/** `GET /v1/metadata`. Checks in this order: key, client address, parameters, host, limits, cache, fetch. */
export function metadataRoutes(deps: MetadataRouteDeps) {
  const { admission, cachedReader, accessLog, clientOf, allow, allowListId, now } = deps
  const parseQuery = createMetadataQueryParser(allow, allowListId)

  return new Elysia({ prefix: '/v1' })
    .use(apiKeyAuth({ admission, accessLog, clientOf }))
    .get('/metadata', async ({ request, caller, set }) => {
      const { url, target, timeoutMs, readCache } = parseQuery(request)
      accessLog.add(request, { host: target.url.host })
      const { userId, keyId, logsUrls, allowedHosts } = caller
      if (logsUrls) accessLog.attribute(request, { userId, keyId, path: target.url.pathname })
      if (!isHostAllowed(target.url.hostname, allowedHosts)) throw new AppError('host_not_allowed', HOST_NOT_ALLOWED)

      const metered = await admission.withQuota(caller, {
        stored: () => cachedReader.stored({ cacheKey: target.cacheKey, readCache }),
        async work() {
          const trace: FetchTrace = { hops: [] }
          const readRequest = { ...target, userId, timeoutMs, readCache, signal: request.signal }
          return await cachedReader.get(readRequest, trace).finally(() => accessLog.add(request, fetchSummary(trace)))
        },
      })
      const { json, cached, layer, isProvisional } = metered.result
      const cache = cached ? 'HIT' : 'MISS'
      accessLog.add(request, { cache, ...(layer && { cacheLayer: layer }) })
      // Returns a string and sets headers separately: to add headers to a Response, Elysia copies it and its body stream.
      Object.assign(set.headers, API_HEADERS, { 'x-cache': cache }, quotaHeaders({ ...caller, ...metered }, now()))
      if (isProvisional) set.headers['x-provisional'] = 'true'
      const text = withUrl(url, json)
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
