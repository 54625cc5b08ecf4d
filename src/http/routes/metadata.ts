import { Elysia } from 'elysia'

import type { AllowRule } from '../../core/egress.ts'
import { fetchSummary } from '../../core/fetch-summary.ts'
import type { FetchTrace } from '../../core/trace.ts'
import type { Admission, Caller, WithinQuota } from '../../service/admission.ts'
import type { Lookup, LookupAnswer } from '../../service/lookup.ts'
import { apiKeyAuth } from '../api-key-auth.ts'
import { API_HEADERS } from '../json.ts'
import { createMetadataQueryParser } from '../metadata-query.ts'
import type { Observer } from '../observe.ts'

export interface MetadataRouteDeps {
  admission: Admission
  lookup: Lookup
  observer: Observer
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
}

/** `GET /v1/metadata`. Checks in this order: key, parameters, limits, cache, fetch. */
export function metadataRoutes({ admission, lookup, observer, allow }: MetadataRouteDeps) {
  const parseQuery = createMetadataQueryParser(allow)

  return new Elysia({ prefix: '/v1' })
    .use(apiKeyAuth({ admission, observer }))
    .get('/metadata', async ({ request, caller, set }) => {
      const { url, target, timeoutMs, readCache } = parseQuery(request)
      observer.note(request, { host: target.url.host })

      const metered = await admission.withQuota(caller, {
        stored: () => lookup.stored({ cacheKey: target.cacheKey, readCache }),
        async work() {
          const trace: FetchTrace = { hops: [] }
          const lookupRequest = { ...target, userId: caller.userId, timeoutMs, readCache, signal: request.signal }
          return await lookup.get(lookupRequest, trace).finally(() => observer.note(request, fetchSummary(trace)))
        },
      })
      const { json, cached, isProvisional } = metered.answer
      const cache = cached ? 'HIT' : 'MISS'
      observer.note(request, { cache })
      // A string with headers beside it: Elysia would copy a Response and its body stream to add its own headers.
      Object.assign(set.headers, API_HEADERS, { 'x-cache': cache }, limitHeaders(caller, metered))
      if (isProvisional) set.headers['x-provisional'] = 'true'
      return withUrl(url, json)
    })
}

/** Inserts the requested URL in front of the stored JSON. */
function withUrl(url: string, resultJson: string): string {
  return `{"url":${JSON.stringify(url)},${resultJson.slice(1)}`
}

function limitHeaders({ plan }: Caller, { minute, monthUsed }: WithinQuota<LookupAnswer>): Record<string, string> {
  return {
    'x-ratelimit-limit': String(plan.perMinute),
    'x-ratelimit-remaining': String(minute.remaining),
    'x-ratelimit-reset': String(minute.resetsAt),
    'x-monthly-limit': String(plan.perMonth),
    'x-monthly-used': String(monthUsed),
    'x-monthly-remaining': String(Math.max(0, plan.perMonth - monthUsed)),
  }
}
