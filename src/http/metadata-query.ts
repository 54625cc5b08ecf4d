import { LRUCache } from 'lru-cache'

import type { AllowRule } from '../core/egress.ts'
import { AppError } from '../core/errors.ts'
import { parseFetchTimeout } from '../core/fetch-timeout.ts'
import { FETCH_TIMEOUT_MS } from '../core/limits.ts'
import { parseTargetUrl, type Target } from '../core/url.ts'

/** The parameters of `GET /v1/metadata`. Shared by the requests with the same query, so nothing may change them. */
export interface MetadataParameters {
  /** The caller's own text. */
  readonly url: string
  readonly target: Target
  readonly timeoutMs: number
  readonly readCache: boolean
}

/** Queries that are remembered at the most, and how many characters they may have together: some 30 MB. */
const MAX_QUERIES = 10_000
const MAX_QUERY_CHARACTERS = 4 * 1024 * 1024

/** Reads one query parameter; null when it is missing. */
export type Query = (name: string) => string | null

/**
 * The query of a request, decoded by the WHATWG URL standard, which never fails. The last value of a repeated parameter
 * is used.
 */
export function queryOf(request: Request): Query {
  const parameters = new URLSearchParams(searchOf(request))
  return (name) => parameters.getAll(name).at(-1) ?? null
}

/**
 * Parses queries of `GET /v1/metadata`. Valid ones are remembered by their text, because parsing and checking a URL costs
 * more than answering it from the cache. The operator's exceptions (`allow`) do not change while the process runs.
 */
export function createMetadataQueryParser(allow: readonly AllowRule[]) {
  const known = new LRUCache<string, MetadataParameters>({
    max: MAX_QUERIES,
    maxSize: MAX_QUERY_CHARACTERS,
    sizeCalculation: (_, search) => search.length || 1,
  })

  /** @throws AppError `invalid_request` */
  return (request: Request): MetadataParameters => {
    const search = searchOf(request)
    const remembered = known.get(search)
    if (remembered) return remembered
    const query = queryOf(request)
    const parameters = parseMetadataQuery(query, allow)
    // A query with a key is not remembered, so that keys are not kept in memory.
    if (query('api_key') === null) known.set(search, parameters)
    return parameters
  }
}

/**
 * Checks `url`, `timeout` and `cache`. Parsing is strict: `5e3` is not an integer and `1` is not a boolean.
 */
function parseMetadataQuery(query: Query, allow: readonly AllowRule[]): MetadataParameters {
  const url = query('url') ?? ''
  const target = parseTargetUrl(url, allow)
  if ('reason' in target) throw new AppError('invalid_request', `Invalid URL: ${target.reason}`)
  const timeoutText = query('timeout')
  const timeoutMs = timeoutText === null ? FETCH_TIMEOUT_MS.default : parseFetchTimeout(timeoutText)
  if (timeoutMs === null) {
    const { minimum, maximum } = FETCH_TIMEOUT_MS
    throw new AppError('invalid_request', `Invalid timeout: must be an integer from ${minimum} to ${maximum}`)
  }
  const cache = query('cache') ?? 'true'
  if (cache !== 'true' && cache !== 'false') {
    throw new AppError('invalid_request', 'Invalid cache: must be true or false')
  }
  return { url, target, timeoutMs, readCache: cache === 'true' }
}

/** With its question mark, or ''. */
function searchOf({ url }: Request): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}
