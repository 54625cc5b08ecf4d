import { AppError } from '../core/errors.ts'
import { parseFetchTimeout } from '../core/fetch-timeout.ts'
import { FETCH_TIMEOUT_MS } from '../core/limits.ts'

/** The parsed parameters of `GET /v1/metadata`; `url` is still the caller's text. */
export interface MetadataParameters {
  url: string
  timeoutMs: number
  readCache: boolean
}

/** Reads one query parameter; null when it is missing. */
export type Query = (name: string) => string | null

/**
 * The query of a request, decoded by the WHATWG URL standard, which never fails. The last value of a repeated parameter
 * is used.
 */
export function queryOf(request: Request): Query {
  const start = request.url.indexOf('?')
  const parameters = new URLSearchParams(start < 0 ? '' : request.url.slice(start))
  return (name) => parameters.getAll(name).at(-1) ?? null
}

/**
 * Validates `timeout` and `cache` (`url` is validated by `parseTargetUrl`). Values are strict: `5e3` is not accepted as
 * an integer, nor `1` as a boolean.
 * @throws AppError `invalid_request`
 */
export function parseMetadataQuery(query: Query): MetadataParameters {
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
  return { url: query('url') ?? '', timeoutMs, readCache: cache === 'true' }
}
