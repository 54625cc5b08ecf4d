import type { Config } from '../config.ts'
import { openapiDocument } from '../http/api/openapi.ts'

/** The OpenAPI document of a server with this configuration at `baseUrl`, for `/openapi.json` and `urlmeta openapi`. */
export function openapiOf({ plans, cache }: Config, baseUrl: string): object {
  return openapiDocument({ baseUrl, plans, cacheTtlMs: cache.ttlMs })
}
