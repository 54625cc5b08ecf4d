import type { ErrorKind } from '../errors.ts'
import type { Extra, ExtraName } from '../extract/fields/extra.ts'
import type { PageResult } from '../fetch/page-result.ts'

/** The properties of a response of `GET /v1/metadata`. */
export interface MetadataResult extends PageResult {
  /** As the caller wrote it. */
  url: string
  /** The fields that the format requests. */
  extra?: Extra
}

/** Reads a parameter of the path, the query or the body of a request; null when it is missing. */
export type Parameter = (name: string) => string | null

/** A request in the terms of `GET /v1/metadata`; null for a parameter that is missing. */
export interface FormatRequest {
  url: string | null
  /** Whether the client wants a fresh result; false by default. */
  bypassesCache?: boolean
  /**
   * The Accept-Language that the client asks for. An invalid value is ignored, because some clients always send a
   * language.
   */
  language?: string | null
}

/** `message` is public. */
export interface Failure {
  kind: ErrorKind
  status: number
  message: string
}

/**
 * The API of another service, whose clients work with this server once they use its base URL. Properties that only
 * the other service has are omitted, or null if its clients read them without a check.
 */
export interface Format {
  /** The name in the request log. */
  name: string
  /** The route pattern. */
  path: string
  /** GET alone by default. */
  methods?: readonly ('GET' | 'POST')[]
  /** Fields of `extra` that the response uses. */
  fields?: readonly ExtraName[]
  /** A header with the API key, besides `X-API-Key`. */
  keyHeader?: string
  /** Parameters with the API key, for clients that send no header. The first that the request has is used. */
  keyParameters: readonly string[]
  request: (parameter: Parameter) => FormatRequest
  /** Parameters that only `response` reads. */
  responseParameters?: readonly string[]
  /** @throws AppError for a request that this service cannot fulfil */
  check?: (parameter: Parameter) => void
  response: (result: MetadataResult, parameter: Parameter) => object
  failure: (failure: Failure) => object
}
