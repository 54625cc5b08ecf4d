import { isBrowserKey, isClientAllowed, isHostAllowed, notAllowed } from '../../core/accounts/key-settings.ts'
import { PAGE_EXTRA_NAMES } from '../../core/extract/fields/extra.ts'
import { AppError } from '../../core/errors.ts'
import { fetchSummary } from '../../core/fetch/summary.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import { addressBlock } from '../../core/net/client-address.ts'
import type { AllowRule } from '../../core/net/egress.ts'
import type { CachedReader, CachedReadResult } from '../../service/lookup/cached-reader.ts'
import type { Admission, Caller } from '../../service/usage/admission.ts'
import type { AccessLog } from '../server/access-log.ts'
import { gzipped } from '../server/compression.ts'
import type { ClientOf } from '../server/remote-addresses.ts'
import { allowOrigin, type Exchange, type OriginLookup, requireOrigin } from './cors.ts'
import { successResponse } from './limit-headers.ts'
import { createMetadataQueryParser, type MetadataParameters } from './metadata-query.ts'

export interface MeteredApiDeps {
  admission: Admission
  cachedReader: CachedReader
  accessLog: AccessLog
  clientOf: ClientOf
  isOriginAllowed: OriginLookup
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
  allowListId: () => string
  now: () => number
}

/** How one format of the API is requested, and how it represents a result. */
export interface MeteredFormat {
  /** The key in a parameter, which is used if the header `X-API-Key` has none. */
  keyParameter: () => string | null
  /** The parameters as a query of `GET /v1/metadata`. Only called for authenticated callers. @throws AppError */
  query: () => string
  textOf: (parameters: MetadataParameters, result: CachedReadResult, caller: Caller) => string
}

export type MeteredApi = ReturnType<typeof createMeteredApi>

/**
 * Responds to requests for metadata in any format. Checks in this order: key, origin, client address, parameters, host,
 * limits, cache, fetch. Describes the URL and its fetch in the log line and in the user's request log.
 */
export function createMeteredApi(deps: MeteredApiDeps) {
  const { admission, cachedReader, accessLog, clientOf, isOriginAllowed, now } = deps
  const parseQuery = createMetadataQueryParser(deps.allow, deps.allowListId)

  /** Checks the restrictions of a key that apply to every request. @throws AppError */
  function admit({ request, set }: Exchange, caller: Caller): Caller {
    const { userId, keyId, allowedRanges, allowedOrigins } = caller
    // Before the restrictions are checked, so that the user's log also shows refused requests.
    accessLog.attribute(request, { userId, keyId, path: null })
    if (isBrowserKey(caller)) requireOrigin({ request, set }, allowedOrigins)
    if (isClientAllowed(() => clientOf(request), allowedRanges)) return caller
    throw notAllowed('allowedAddresses')
  }

  /** Lets a page read why it could not authenticate, if any key allows its origin. */
  async function reject({ request, set }: Exchange, error: unknown): Promise<never> {
    const origin = request.headers.get('origin')
    if (origin !== null && error instanceof AppError && (await isOriginAllowed(origin))) allowOrigin(set, origin)
    throw error
  }

  /** The header takes precedence over the parameter; an empty header counts as missing. */
  function authenticate(exchange: Exchange, keyParameter: () => string | null): Caller | Promise<Caller> {
    const { request } = exchange
    const key = request.headers.get('x-api-key')?.trim() || keyParameter()?.trim() || null
    const caller = admission.authenticate(key, () => clientOf(request))
    if (!(caller instanceof Promise)) return admit(exchange, caller)
    return caller.then(
      (found) => admit(exchange, found),
      (error: unknown) => reject(exchange, error),
    )
  }

  function read(request: Request, caller: Caller, { host, target, timeoutMs, readCache, fields }: MetadataParameters) {
    const { userId, keyId, logsUrls, allowedHosts } = caller
    accessLog.fieldsOf(request).host = host
    if (logsUrls) accessLog.attribute(request, { userId, keyId, path: target.url.pathname })
    if (!isHostAllowed(target.url, allowedHosts)) throw notAllowed('allowedHosts')

    const publicOnly = isBrowserKey(caller)
    const needsExtra = fields !== null && fields.some((name) => PAGE_EXTRA_NAMES.includes(name))
    const source = {
      stored: () => cachedReader.stored({ cacheKey: target.cacheKey, readCache, publicOnly, needsExtra }),
      async work() {
        const trace: FetchTrace = { hops: [] }
        const readRequest = { ...target, userId, timeoutMs, readCache, publicOnly, needsExtra, signal: request.signal }
        return await cachedReader.get(readRequest, trace).finally(() => accessLog.add(request, fetchSummary(trace)))
      },
    }
    return admission.withQuota(caller, source, publicOnly ? addressBlock(clientOf(request)) : null)
  }

  return async (request: Request, set: Exchange['set'], { keyParameter, query, textOf }: MeteredFormat) => {
    // Before the parameters are validated, so that errors about them are only returned to authenticated callers. Not in a
    // hook, because Elysia would wait for the hook even if it returned no promise.
    const authenticated = authenticate({ request, set }, keyParameter)
    const caller = authenticated instanceof Promise ? await authenticated : authenticated
    const parameters = parseQuery(query(), isBrowserKey(caller))
    const metered = await read(request, caller, parameters)
    const { cached, layer, isProvisional } = metered.result
    const text = textOf(parameters, metered.result, caller)
    const logged = accessLog.fieldsOf(request)
    logged.cache = cached ? 'HIT' : 'MISS'
    if (layer !== undefined) logged.cacheLayer = layer
    const body = gzipped(request, text)
    const response = successResponse(body ?? text, caller.plan, metered, now())
    const { headers } = response
    if (!cached) headers.set('x-cache', 'MISS')
    if (isProvisional) headers.set('x-provisional', 'true')
    // Headers from hooks have one value each. If any were left in `set`, Elysia would copy the Response and its body stream.
    for (const name in set.headers) headers.set(name, String(set.headers[name]))
    set.headers = {}
    if (body !== null) {
      headers.set('content-encoding', 'gzip')
      headers.append('vary', 'Accept-Encoding')
    }
    return response
  }
}
