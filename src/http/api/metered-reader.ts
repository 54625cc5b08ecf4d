import { PAGE_EXTRA_NAMES } from '../../core/extract/fields/extra.ts'
import { fetchSummary } from '../../core/fetch/summary.ts'
import { isBrowserKey, isHostAllowed, notAllowed } from '../../core/accounts/key-settings.ts'
import { addressBlock } from '../../core/net/client-address.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import type { Admission, Caller } from '../../service/usage/admission.ts'
import type { CachedReader } from '../../service/lookup/cached-reader.ts'
import type { AccessLog } from '../server/access-log.ts'
import type { ClientOf } from '../server/remote-addresses.ts'
import type { MetadataParameters } from './metadata-query.ts'

export interface MeteredReaderDeps {
  admission: Admission
  cachedReader: CachedReader
  accessLog: AccessLog
  clientOf: ClientOf
}

/**
 * Reads the metadata of a URL for a caller of the API, in any format of the response: checks the host and the limits of
 * the caller, and describes the URL and its fetch in the log line and in the user's request log.
 */
export function createMeteredReader({ admission, cachedReader, accessLog, clientOf }: MeteredReaderDeps) {
  return (request: Request, caller: Caller, { target, timeoutMs, readCache, fields }: MetadataParameters) => {
    const { userId, keyId, logsUrls, allowedHosts } = caller
    accessLog.add(request, { host: target.url.host })
    if (logsUrls) accessLog.attribute(request, { userId, keyId, path: target.url.pathname })
    if (!isHostAllowed(target.url.hostname, allowedHosts)) throw notAllowed('allowedHosts')

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
}
