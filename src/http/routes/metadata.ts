import { Elysia } from 'elysia'

import type { AllowRule } from '../../core/egress.ts'
import { AppError } from '../../core/errors.ts'
import { fetchSummary } from '../../core/fetch-summary.ts'
import type { FetchTrace } from '../../core/trace.ts'
import { parseTargetUrl } from '../../core/url.ts'
import type { Admission, Caller, Spent } from '../../service/admission.ts'
import type { Lookup, LookupAnswer } from '../../service/lookup.ts'
import { apiKeyAuth } from '../api-key-auth.ts'
import { json } from '../json.ts'
import { parseMetadataQuery, queryOf } from '../metadata-query.ts'
import type { Observer } from '../observe.ts'

export interface MetadataRouteDeps {
  admission: Admission
  lookup: Lookup
  observer: Observer
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
}

/** `GET /v1/metadata`. Checks in this order: key, parameters, limits, cache, fetch. */
export const metadataRoutes = ({ admission, lookup, observer, allow }: MetadataRouteDeps) =>
  new Elysia({ prefix: '/v1' })
    .use(apiKeyAuth({ admission, observer }))
    .get('/metadata', async ({ request, caller }) => {
      const query = queryOf(request)
      const target = parseTargetUrl(query('url') ?? '', allow)
      if ('reason' in target) throw new AppError('invalid_request', `Invalid URL: ${target.reason}`)
      observer.note(request, { host: target.url.host })
      const { url, timeoutMs, readCache } = parseMetadataQuery(query)

      const trace: FetchTrace = { hops: [] }
      const lookupRequest = { url: target.url, userId: caller.userId, timeoutMs, readCache, signal: request.signal }
      const spent = await admission
        .spend(caller, () => lookup.get(lookupRequest, trace))
        .finally(() => observer.note(request, fetchSummary(trace)))
      const { cached, isProvisional } = spent.answer
      const cache = cached ? 'HIT' : 'MISS'
      observer.note(request, { cache })
      return json(withUrl(url, spent.answer.json), {
        headers: {
          'x-cache': cache,
          ...(isProvisional && { 'x-provisional': 'true' }),
          ...limitHeaders(caller, spent),
        },
      })
    })

/** Inserts the requested URL in front of the stored JSON. */
function withUrl(url: string, resultJson: string): string {
  return `{"url":${JSON.stringify(url)},${resultJson.slice(1)}`
}

function limitHeaders({ plan }: Caller, { minute, monthUsed }: Spent<LookupAnswer>): Record<string, string> {
  return {
    'x-ratelimit-limit': String(plan.perMinute),
    'x-ratelimit-remaining': String(minute.remaining),
    'x-ratelimit-reset': String(minute.resetsAt),
    'x-monthly-limit': String(plan.perMonth),
    'x-monthly-used': String(monthUsed),
    'x-monthly-remaining': String(Math.max(0, plan.perMonth - monthUsed)),
  }
}
