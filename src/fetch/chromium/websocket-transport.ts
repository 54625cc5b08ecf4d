import { createHash, randomBytes } from 'node:crypto'
import { addAbortListener } from 'node:events'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Duplex } from 'node:stream'

import { MAX_HEAD_BYTES } from '../response/limits.ts'
import { createTransport, type DevToolsTransport } from './devtools-transport.ts'
import { closeFrame, createFrameReader, pongFrame, textFrame } from './websocket-frames.ts'

/** RFC 6455 section 1.3. */
const HANDSHAKE_ID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/**
 * The DevTools protocol over a WebSocket, with the message limits of the pipe.
 * @throws Error if the connection is not open by the `deadline`
 */
export async function connectWebSocketTransport(url: string, deadline: AbortSignal): Promise<DevToolsTransport> {
  deadline.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<DevToolsTransport>()
  const key = randomBytes(16).toString('base64')
  const headers = { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Key': key, 'Sec-WebSocket-Version': 13 }
  const send = url.startsWith('wss:') ? requestHttps : requestHttp
  const request = send(url.replace(/^ws/, 'http'), { headers, maxHeaderSize: MAX_HEAD_BYTES })
  const refuse = (message: string) => request.destroy(new Error(message))
  using _listener = addAbortListener(deadline, () => refuse('the browser did not respond in time'))
  request.on('error', reject)
  request.on('response', ({ statusCode }) => refuse(`HTTP ${statusCode}`))
  request.on('upgrade', (response, socket, received) => {
    if (response.headers['sec-websocket-accept'] === acceptOf(key)) return resolve(transportOf(socket, received))
    socket.destroy()
    reject(new Error('not a WebSocket server'))
  })
  request.end()
  return await promise
}

/** RFC 6455 section 4.2.2. */
function acceptOf(key: string): string {
  const hash = createHash('sha1').update(key + HANDSHAKE_ID)
  return hash.digest('base64')
}

function transportOf(socket: Duplex, received: Buffer): DevToolsTransport {
  const mask = () => randomBytes(4)
  const { transport, close, append, endMessage } = createTransport({
    send: (text) => void socket.write(textFrame(text, mask())),
    end: () => void socket.end(closeFrame(mask())),
    onClosed: () => void socket.destroy(),
  })
  const read = createFrameReader({
    onText: append,
    onMessageEnd: () => void endMessage(),
    onPing: (payload) => void (transport.isOpen() && socket.write(pongFrame(payload, mask()))),
    onClose: close,
  })
  socket.on('data', read)
  socket.on('close', close).on('error', close)
  if (received.length > 0) read(received)
  return transport
}
