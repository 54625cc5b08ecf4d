import { Value } from '@sinclair/typebox/value'

import { AppError } from '../core/errors.ts'
import { MetadataQuery } from './schema.ts'

/** The parameters of `GET /v1/metadata` as the lookup takes them; `url` is still the caller's text. */
export interface MetadataParameters {
  url: string
  timeoutMs: number
  readCache: boolean
}

/** Reads one parameter of a query; null when it is not there. */
export type Query = (name: string) => string | null

/**
 * The query of a request, decoded as WHATWG URL says, which fails on nothing. Of a repeated parameter the last value
 * counts.
 */
export function queryOf(request: Request): Query {
  const start = request.url.indexOf('?')
  const parameters = new URLSearchParams(start < 0 ? '' : request.url.slice(start))
  return (name) => parameters.getAll(name).at(-1) ?? null
}

/**
 * Checks `timeout` and `cache` against the schema that documents them; what `url` may be is decided by the core.
 * Spellings are strict: `5e3` is no integer and `1` no boolean.
 * @throws AppError `invalid_request`
 */
export function parseMetadataQuery(query: Query): MetadataParameters {
  const { timeout, cache } = MetadataQuery.properties
  const timeoutMs = integerIn(query('timeout')) ?? timeout.default
  if (!Value.Check(timeout, timeoutMs)) {
    const { minimum, maximum } = timeout
    throw new AppError('invalid_request', `Invalid timeout: must be an integer from ${minimum} to ${maximum}`)
  }
  const readCache = booleanIn(query('cache')) ?? cache.default
  if (!Value.Check(cache, readCache)) {
    throw new AppError('invalid_request', 'Invalid cache: must be true or false')
  }
  return { url: query('url') ?? '', timeoutMs, readCache }
}

/** Null when there is none; the text itself, which no schema of a number accepts, when it is not an integer. */
function integerIn(text: string | null): number | string | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : text
}

function booleanIn(text: string | null): boolean | string | null {
  return text === 'true' ? true : text === 'false' ? false : text
}
