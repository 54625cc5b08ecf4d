/** The parts of a W3C `traceparent` header that are logged. */
export interface TraceContext {
  /** 32 hexadecimal digits, shared by all requests of one trace. */
  traceId: string
  /** 16 hexadecimal digits: the caller's span. */
  parentId: string
}

/** Version, trace id, parent id, flags. Versions after 00 may append further fields after another dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/** Room for the fields of later versions; the header of version 00 has 55 characters. */
const MAX_CHARS = 256

/**
 * Null if the header is malformed (https://www.w3.org/TR/trace-context/#traceparent-header). An id of zeros is invalid
 * too.
 */
export function parseTraceparent(header: string): TraceContext | null {
  if (header.length > MAX_CHARS) return null
  const [, version, traceId = '', parentId = '', more] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null
  return /^0+$/.test(traceId) || /^0+$/.test(parentId) ? null : { traceId, parentId }
}
