import { request, type IncomingMessage } from 'node:http'

import { FetchError } from '../../core/errors.ts'
import type { Hop } from '../../core/fetch/trace.ts'
import { untilAborted } from '../response/abort.ts'
import type { Connection } from './connections.ts'
import { responseFailure } from '../response/failure.ts'
import { MAX_HEAD_BYTES } from '../response/limits.ts'

/** The maximum number of header fields in a response. Real responses have far fewer. */
const MAX_HEADER_COUNT = 200

/** The maximum number of interim responses, such as `103 Early Hints`, before the final one. */
const MAX_INTERIM_RESPONSES = 10

/** The server closed a reused connection before reading the request, which must be repeated over a new one. */
export class StaleConnectionError extends Error {}

/** A request to send: a POST if it has a body, otherwise a GET. */
export interface Exchange {
  url: URL
  headers: Record<string, string>
  body?: string
  /** Receives timing, addresses and TLS details. */
  hop: Hop
  signal: AbortSignal
}

/**
 * Sends one request over a connection and waits for the head of the response.
 * @throws FetchError, StaleConnectionError, or the signal's reason
 */
export async function exchange(
  connection: Connection,
  { url, headers, body, hop, signal }: Exchange,
): Promise<IncomingMessage> {
  const startedAt = performance.now()
  let isStale = connection.isReused
  // Listens to the socket, not to the transport, because TLS sends bytes when it closes.
  if (isStale) connection.opened.socket.once('data', () => (isStale = false))
  const clientRequest = request({
    agent: connection,
    ...(body !== undefined && { method: 'POST' }),
    path: url.pathname + url.search,
    headers: { Host: url.host, ...headers },
    maxHeaderSize: MAX_HEAD_BYTES,
    // Like browsers, accept bare line feeds and unusual header characters. `checkFraming` limits the risk.
    insecureHTTPParser: true,
  })
  clientRequest.maxHeadersCount = MAX_HEADER_COUNT + 1
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    let interimResponses = 0
    clientRequest.on('information', () => {
      if (++interimResponses > MAX_INTERIM_RESPONSES) reject(new Error('too many interim responses'))
    })
    clientRequest.on('upgrade', () => reject(new Error('the server changed the protocol')))
    clientRequest.on('error', reject)
    clientRequest.on('response', (response) => {
      if (response.statusCode === 101) return reject(new Error('the server changed the protocol'))
      // Node emits an error in the body on the request only; pass it on to the reader. Errors after the end do not matter.
      clientRequest.on('error', (error) => response.complete || response.destroy(error))
      response.on('error', () => {})
      resolve(response)
    })
  })
  clientRequest.end(body)

  const response = await untilAborted(responded, signal).catch((error) => {
    signal.throwIfAborted()
    throw isStale ? new StaleConnectionError() : responseFailure(error)
  })
  connection.checkFraming(response)
  hop.timing.firstByteMs = performance.now() - startedAt
  hop.status = response.statusCode!
  if (response.rawHeaders.length / 2 > MAX_HEADER_COUNT) throw new FetchError('response_too_large')
  return response
}
