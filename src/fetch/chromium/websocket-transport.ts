import { createHash, randomBytes } from 'node:crypto'
import { addAbortListener } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

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
  const { protocol, hostname, port, host, pathname, search } = new URL(url)
  const isSecure = protocol === 'wss:'
  const address = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || (isSecure ? 443 : 80)) }
  const socket = isSecure
    ? connectTls({ ...address, ...(isIP(address.host) === 0 && { servername: address.host }) })
    : connectTcp(address)
  const key = randomBytes(16).toString('base64')
  using _listener = addAbortListener(deadline, () => socket.destroy(new Error('the browser did not respond in time')))
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    const lines = [`GET ${pathname}${search} HTTP/1.1`, `Host: ${host}`, 'Upgrade: websocket', 'Connection: Upgrade']
    socket.write([...lines, `Sec-WebSocket-Key: ${key}`, 'Sec-WebSocket-Version: 13', '', ''].join('\r\n'))
  })
  try {
    const { head, rest } = await readHead(socket)
    checkHandshake(head, key)
    return transportOf(socket, rest)
  } catch (error) {
    socket.destroy()
    throw error
  }
}

function readHead(socket: Socket): Promise<{ head: string; rest: Buffer }> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf('\r\n\r\n')
      if (end < 0 && received.length > MAX_HEAD_BYTES) return reject(new Error('the response is too long'))
      if (end < 0) return
      socket.off('data', onData)
      resolve({ head: received.toString('latin1', 0, end), rest: received.subarray(end + 4) })
    }
    socket.on('data', onData)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the connection was closed')))
  })
}

/** RFC 6455 section 4.2.2. @throws Error when the server is not a WebSocket server, or refuses the connection */
function checkHandshake(head: string, key: string): void {
  const [, status] = /^HTTP\/1\.1 (\d{3})\b/.exec(head) ?? []
  if (status !== '101') throw new Error(status === undefined ? 'not an HTTP response' : `HTTP ${status}`)
  const accept = createHash('sha1')
    .update(key + HANDSHAKE_ID)
    .digest('base64')
  const accepted = /^sec-websocket-accept:[ \t]*(\S+)[ \t]*$/im.exec(head)?.[1]
  if (accepted !== accept) throw new Error('not a WebSocket server')
}

function transportOf(socket: Socket, received: Buffer): DevToolsTransport {
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
