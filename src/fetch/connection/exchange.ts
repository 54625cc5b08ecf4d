import type { Hop } from '../../core/fetch/trace.ts'
import { timed } from '../response/timed.ts'
import { untilAborted } from '../response/abort.ts'
import { responseFailure } from '../response/failure.ts'
import type { HttpResponse } from '../response/http-response.ts'
import type { Connection } from './connections.ts'
import { requestBytes, type RequestToSend } from './request-head.ts'
import { type OnResponseEnd, ResponseReader } from './response-reader.ts'

/**
 * The server closed a reused connection before reading the request. The request must be repeated over a new connection.
 */
export class StaleConnectionError extends Error {}

const REQUEST_TIMEOUT = 408

export interface Exchange extends RequestToSend {
  /** Receives timing, addresses and TLS details. */
  hop: Hop
  signal: AbortSignal
}

/**
 * Sends one request over a connection and waits for the head of the response.
 * @param onEnd called with the last byte of the response, which may be before its body is consumed
 * @throws FetchError, StaleConnectionError, or the signal's reason
 */
export async function exchange(
  connection: Connection,
  request: Exchange,
  onEnd: OnResponseEnd,
): Promise<{ response: HttpResponse; reader: ResponseReader }> {
  const { hop, signal } = request
  const { socket, tls } = connection.opened
  const bytes = requestBytes(request)
  signal.throwIfAborted()
  const reader = new ResponseReader(socket, { isEncrypted: tls !== undefined, onEnd })
  socket.write(bytes)
  const response = await timed(hop, 'firstByteMs', () => untilAborted(reader.response, signal)).catch((error) => {
    signal.throwIfAborted()
    throw connection.isReused && !reader.hasReceived ? new StaleConnectionError() : responseFailure(error)
  })
  // The server closes the idle connection, and has not read the request.
  if (connection.isReused && response.status === REQUEST_TIMEOUT) throw new StaleConnectionError()
  hop.status = response.status
  return { response, reader }
}
