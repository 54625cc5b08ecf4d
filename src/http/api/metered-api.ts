import type { AllowRule } from '../../core/net/egress.ts'
import { type ApiKeyAuthDeps, createApiKeyAuth } from './api-key-auth.ts'
import { createMetadataQueryParser } from './metadata-query.ts'
import { createMeteredReader, type MeteredReaderDeps } from './metered-reader.ts'
import { createMeteredResponse } from './metered-response.ts'

export interface MeteredApiDeps extends ApiKeyAuthDeps, MeteredReaderDeps {
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
  allowListId: () => string
  now: () => number
  /** The link to an image through this server, which counts against the key; null if the server proxies no images. */
  linkImage: ((keyId: string, url: string) => string) | null
}

export type MeteredApi = ReturnType<typeof createMeteredApi>

/** The steps of a request for metadata, which all formats of the response share, with their caches. */
export const createMeteredApi = (deps: MeteredApiDeps) => ({
  authenticate: createApiKeyAuth(deps),
  parseQuery: createMetadataQueryParser(deps.allow, deps.allowListId),
  read: createMeteredReader(deps),
  respond: createMeteredResponse(deps),
  linkImage: deps.linkImage,
})
