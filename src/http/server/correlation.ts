import { type AddressRange, parseAddress } from '../../core/net/address.ts'
import { isTrusted } from '../../core/net/client-address.ts'
import { parseTraceparent, type TraceContext } from './trace-context.ts'
import type { RemoteAddresses } from './remote-addresses.ts'

/** Common formats of request ids: UUIDs, hexadecimal, base64, ids of cloud load balancers. */
const REQUEST_ID = /^[\w.:=+/@-]{1,128}$/

export interface CorrelationDeps {
  /** Ranges of proxies whose X-Request-Id is kept. */
  trustedProxies: readonly AddressRange[]
  newId: () => string
  /** A function, because Elysia's `server` in the context costs each request a property definition. */
  peers: () => RemoteAddresses
}

/** The ids that connect a request with the logs of other systems. */
export interface Correlation {
  /** Generated, unless a trusted proxy sent one. */
  requestId: string
  /** The `traceparent` header and its fields; null when it is missing or malformed. */
  trace: (TraceContext & { traceparent: string }) | null
}

/** Reads `X-Request-Id` and `traceparent` of a request. */
export function createCorrelation({ trustedProxies, newId, peers }: CorrelationDeps) {
  function isFromProxy(request: Request): boolean {
    const peer = parseAddress(peers()?.requestIP(request)?.address ?? '')
    return peer !== null && isTrusted(peer, trustedProxies)
  }

  function requestIdOf(request: Request): string {
    const given = request.headers.get('x-request-id')
    return given !== null && REQUEST_ID.test(given) && isFromProxy(request) ? given : newId()
  }

  return (request: Request): Correlation => {
    const traceparent = request.headers.get('traceparent')
    const trace = traceparent === null ? null : parseTraceparent(traceparent)
    return {
      requestId: requestIdOf(request),
      trace: trace && { ...trace, traceparent: traceparent! },
    }
  }
}
