import { request, type IncomingMessage } from 'node:http'

import { FetchError } from '../core/errors.ts'
import type { Hop } from '../core/trace.ts'
import { untilAborted } from './abort.ts'
import type { Connection } from './connections.ts'
import { responseFailure } from './failure.ts'
import { MAX_HEAD_BYTES } from './limits.ts'

/** Chromium and Firefox take any number; nothing real comes near this. */
const MAX_HEADER_COUNT = 200

/** Answers like `103 Early Hints` that may come before the final one. */
const MAX_INTERIM_RESPONSES = 10

/** A kept connection that the server had closed before it read the request: ask again over a new one. */
export class StaleConnection extends Error {}

/**
 * Sends one GET over a connection and waits for the head of the answer.
 * @throws FetchError, StaleConnection, or the signal's reason
 */
export async function exchange(
  connection: Connection,
  url: URL,
  headers: Record<string, string>,
  hop: Hop,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const startedAt = performance.now()
  let isStale = connection.isReused
  // Bytes on the wire do not count: TLS says goodbye with some.
  if (isStale) connection.socket.once('data', () => (isStale = false))
  const asked = request({
    agent: connection,
    path: url.pathname + url.search,
    headers: { Host: url.host, ...headers },
    maxHeaderSize: MAX_HEAD_BYTES,
    // Browsers read bare line feeds and odd header characters. What is framed in an odd way is not reused, see below.
    insecureHTTPParser: true,
  })
  asked.maxHeadersCount = MAX_HEADER_COUNT + 1
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    let interimAnswers = 0
    asked.on('information', () => {
      if (++interimAnswers > MAX_INTERIM_RESPONSES) reject(new Error('too many interim answers'))
    })
    asked.on('upgrade', () => reject(new Error('the server changed the protocol')))
    asked.on('error', reject)
    asked.on('response', (answer) => {
      // What breaks the body is told to the request alone, and whoever reads it must hear of it. What comes after its
      // end does not matter.
      asked.on('error', (error) => answer.complete || answer.destroy(error))
      answer.on('error', () => {})
      resolve(answer)
    })
  })
  asked.end()

  const answer = await untilAborted(answered, signal).catch((error) => {
    signal.throwIfAborted()
    throw isStale ? new StaleConnection() : responseFailure(error)
  })
  connection.checkFraming(answer)
  hop.timing.firstByteMs = performance.now() - startedAt
  hop.status = answer.statusCode ?? 0
  if (answer.rawHeaders.length / 2 > MAX_HEADER_COUNT) throw new FetchError('response_too_large', 'response too large')
  return answer
}
