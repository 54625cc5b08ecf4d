import { FetchError } from '../../core/errors.ts'
import { fieldElements, type HeaderFields } from '../../core/net/header-fields.ts'
import type { ResponseHead } from './response-head.ts'

/** How the end of a body is found. The end of a `close` body is the end of the connection. */
export type Framing = { kind: 'length'; bytes: number } | { kind: 'chunked' } | { kind: 'close' }

/** Responses with these statuses have no body. 205 is not in the RFC, but in Chromium. */
const BODILESS_STATUSES: readonly number[] = [204, 205, 304]

/** Different values of these fields are an error, as in Chromium, because they may be an attack (response splitting). */
const UNIQUE_FIELDS = ['location', 'content-disposition'] as const

/**
 * Returns the framing of a response to GET or POST. The numbers are those of the rules in RFC 9112 section 6.3.
 * @throws FetchError `invalid_response` if fields contradict each other
 */
export function framingOf({ status, isHttp11, fields }: ResponseHead): Framing {
  if (UNIQUE_FIELDS.some((name) => new Set(fields.get(name)).size > 1)) throw new FetchError('invalid_response')
  // 1. Responses without a body. (2 is for CONNECT.)
  if (BODILESS_STATUSES.includes(status)) return { kind: 'length', bytes: 0 }
  // 3 and 4. Transfer-Encoding overrides Content-Length. HTTP/1.0 has no Transfer-Encoding.
  if (isHttp11 && lowerCaseElements(fields, 'transfer-encoding').includes('chunked')) return { kind: 'chunked' }
  // 5. Different lengths are an error. Unlike in the RFC, an invalid length is ignored, as in browsers.
  const lengths = fieldElements(fields, 'content-length')
  if (new Set(lengths).size > 1) throw new FetchError('invalid_response')
  // 6. A valid length.
  const bytes = lengths[0] === undefined || !/^\d+$/.test(lengths[0]) ? NaN : Number(lengths[0])
  if (Number.isSafeInteger(bytes)) return { kind: 'length', bytes }
  // 8. Everything else. (7 is for requests.)
  return { kind: 'close' }
}

/**
 * Whether the connection may be used for another request. False if parsers could disagree on where the response ends,
 * because the remaining bytes could be taken for the next response.
 */
export function mayBeKept({ status, isHttp11, fields }: ResponseHead): boolean {
  if (!isHttp11 || BODILESS_STATUSES.includes(status)) return false
  if (lowerCaseElements(fields, 'connection').includes('close')) return false
  const encodings = lowerCaseElements(fields, 'transfer-encoding')
  const lengths = fields.get('content-length') ?? []
  if (encodings.length > 0) return encodings.join() === 'chunked' && lengths.length === 0
  return lengths.length === 1 && /^\d+$/.test(lengths[0]!)
}

function lowerCaseElements(fields: HeaderFields, name: string): string[] {
  return fieldElements(fields, name).map((element) => element.toLowerCase())
}
