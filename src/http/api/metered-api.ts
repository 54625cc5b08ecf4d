import { isBrowserKey, isClientAllowed, isHostAllowed, notAllowed } from '../../core/accounts/key-settings.ts'
import { EndedKeyError, endReason } from '../../core/accounts/key-end.ts'
import { PAGE_EXTRA_NAMES } from '../../core/extract/fields/extra.ts'
import { AppError } from '../../core/errors.ts'
import { fetchSummary } from '../../core/fetch/summary.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import { addressBlock } from '../../core/net/client-address.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import type { CachedReader } from '../../service/lookup/cached-reader.ts'
import type { CachedReadResult } from '../../service/lookup/stored-results.ts'
import type { Admission, ActiveKey } from '../../service/usage/admission.ts'
import { gzipped } from '../server/compression.ts'
import { allowOrigin, type CorsContext, type OriginLookup, requireOrigin } from './cors.ts'
import { successResponse } from './limit-headers.ts'
import { createMetadataQueryParser, type MetadataParameters } from './metadata-query.ts'
import type { RequestFacts } from '../server/request-facts.ts'

export interface MeteredApiDeps extends Pick<RequestFacts, 'accessLog' | 'clientOf'> {
  admission: Admission
  cachedReader: CachedReader
  isOriginAllowed: OriginLookup
  settings: CurrentSettings<'allow'>
  now: () => number
}

/** How one format of the API is requested, and how it represents a result. */
export interface MeteredFormat {
  /** The key in a parameter or another header. Only called if the header `X-API-Key` has none. @throws AppError */
  keyParameter: () => string | null | Promise<string | null>
  /** The parameters as a query of `GET /v1/metadata`. Only called for authenticated callers. @throws AppError */
  query: () => string | Promise<string>
  /** The value of `X-Ignored-Parameters`; null for none. Called after `query`. */
  ignored: () => string | null
  textOf: (parameters: MetadataParameters, result: CachedReadResult, key: ActiveKey) => string
  /** Whether the details must list the tags of the page. Then the query must be one that does not read the cache. */
  listsTags?: boolean
}

type AnswerFormat = Omit<MeteredFormat, 'keyParameter'>

export type MeteredApi = ReturnType<typeof createMeteredApi>

/**
 * Responds to requests for metadata in any format. Checks in this order: key, origin, client address, parameters, host,
 * limits, cache, fetch. Describes the URL and its fetch in the log line and in the user's request log.
 */
export function createMeteredApi(deps: MeteredApiDeps) {
  const { admission, cachedReader, accessLog, clientOf, isOriginAllowed, now } = deps
  const parseQuery = createMetadataQueryParser(deps.settings)

  /** Checks the restrictions of a key that apply to every request. @throws AppError */
  function admit({ request, set }: CorsContext, key: ActiveKey): ActiveKey {
    const { userId, keyId, allowedRanges, allowedOrigins } = key
    // Must be before the restrictions are checked, so that the user's log also shows refused requests.
    accessLog.attribute(request, { userId, keyId, path: null })
    if (isBrowserKey(key)) requireOrigin({ request, set }, allowedOrigins)
    if (isClientAllowed(() => clientOf(request), allowedRanges)) return key
    throw notAllowed('allowedAddresses')
  }

  /**
   * Lets a page read why its request could not be authenticated, if at least one key allows the page's origin. Requests
   * with a key that no longer works are in the log of its owner.
   */
  async function reject({ request, set }: CorsContext, error: unknown): Promise<never> {
    if (error instanceof EndedKeyError) {
      accessLog.attribute(request, { ...error.owner, path: null, rejection: endReason(error.ended) })
    }
    const origin = request.headers.get('origin')
    if (origin !== null && error instanceof AppError && (await isOriginAllowed(origin))) allowOrigin(set, origin)
    throw error
  }

  /** The header takes precedence over the parameter; an empty header counts as missing. */
  function authenticate(exchange: CorsContext, keyParameter: MeteredFormat['keyParameter']) {
    const given = exchange.request.headers.get('x-api-key')?.trim() || keyParameter()
    return given instanceof Promise ? given.then((text) => keyOf(exchange, text)) : keyOf(exchange, given)
  }

  function keyOf(exchange: CorsContext, text: string | null): ActiveKey | Promise<ActiveKey> {
    const { headers } = exchange.request
    const given = text?.trim() || null
    const isBearer = given === null && /^bearer\b/i.test(headers.get('authorization') ?? '')
    const hint = isBearer ? '; send it in X-API-Key' : undefined
    const key = admission.authenticate(given, () => clientOf(exchange.request), hint)
    if (!(key instanceof Promise)) return admit(exchange, key)
    return key.then(
      (found) => admit(exchange, found),
      (error: unknown) => reject(exchange, error),
    )
  }

  function read(request: Request, key: ActiveKey, parameters: MetadataParameters, listsTags: boolean) {
    const { host, target, timeoutMs, readCache, fields } = parameters
    const { userId, keyId, logsUrls, allowedHosts } = key
    accessLog.fieldsOf(request).host = host
    if (logsUrls) accessLog.attribute(request, { userId, keyId, path: target.url.pathname })
    if (!isHostAllowed(target.url, allowedHosts)) throw notAllowed('allowedHosts')

    const publicOnly = isBrowserKey(key)
    const needs = fields?.some((name) => PAGE_EXTRA_NAMES.includes(name)) ? ('extra' as const) : undefined
    const source = {
      stored: () => cachedReader.stored({ cacheKey: target.cacheKey, readCache, publicOnly, needs }),
      async work() {
        const trace: FetchTrace = { hops: [] }
        const readRequest = { ...target, userId, timeoutMs, readCache, publicOnly, needs, signal: request.signal }
        const reading = listsTags ? cachedReader.read(readRequest, trace) : cachedReader.get(readRequest, trace)
        return await reading.finally(() => accessLog.add(request, fetchSummary(trace)))
      },
    }
    return admission.withQuota(key, source, publicOnly ? addressBlock(clientOf(request)) : null)
  }

  /** Responds to a request whose key is known. */
  async function answer(
    { request, set }: CorsContext,
    key: ActiveKey,
    { query, ignored, textOf, listsTags = false }: AnswerFormat,
  ) {
    const queried = query()
    const search = typeof queried === 'string' ? queried : await queried
    const ignoredParameters = ignored()
    if (ignoredParameters !== null) {
      set.headers['x-ignored-parameters'] = ignoredParameters
      accessLog.add(request, { ignoredParameters })
    }
    const parameters = parseQuery(search, isBrowserKey(key))
    const metered = await read(request, key, parameters, listsTags)
    const { cached, layer, isProvisional } = metered.result
    const text = textOf(parameters, metered.result, key)
    const logged = accessLog.fieldsOf(request)
    logged.cache = cached ? 'HIT' : 'MISS'
    if (layer !== undefined) logged.cacheLayer = layer
    const body = gzipped(request, text)
    const response = successResponse(body ?? text, key.limits, metered, now())
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

  /** Not async, because a cached response would wait for one more promise. @throws AppError what `authenticate` throws */
  function respond(request: Request, set: CorsContext['set'], format: MeteredFormat): Promise<Response> {
    const exchange = { request, set }
    // Authentication comes before validation, so that only authenticated callers get errors about parameters. It is not
    // in a hook, because Elysia would wait for the hook even if the hook returned no promise.
    const key = authenticate(exchange, format.keyParameter)
    return key instanceof Promise ? key.then((found) => answer(exchange, found, format)) : answer(exchange, key, format)
  }

  return { authenticate, answer, respond }
}
