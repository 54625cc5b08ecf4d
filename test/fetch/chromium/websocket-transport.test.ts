import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

import { connectWebSocketTransport } from '../../../src/fetch/chromium/websocket-transport.ts'
import { LONG_MESSAGES, partsOf } from './long-messages.ts'
import { serverFrame } from './server-frame.ts'

/** A transport, the server's end of its connection, and the messages that it delivers. */
async function openPair() {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connecting = connectWebSocketTransport(
    `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    AbortSignal.timeout(20_000),
  )
  const [peer] = (await once(server, 'connection')) as [Socket]
  const [head] = (await once(peer, 'data')) as [Buffer]
  const [, key] = /^Sec-WebSocket-Key: (.*)\r$/m.exec(String(head))!
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  peer.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  const transport = await connecting
  const received: { id?: number }[] = []
  const { promise: second, resolve: onSecond } = Promise.withResolvers<void>()
  const { promise: closed, resolve: onclose } = Promise.withResolvers<void>()
  const onmessage = (message: { id?: number }) => {
    received.push(message)
    if (message.id === 2) onSecond()
  }
  Object.assign(transport, { onmessage, onclose })
  return {
    peer,
    transport,
    received: received,
    second,
    closed,
    [Symbol.dispose]: () => void (peer.destroy(), server.close()),
  }
}

test.each(LONG_MESSAGES.flatMap((message) => [1, 5, 9, 10].map((firstBytes) => [firstBytes, ...message] as const)))(
  'a long message whose first part has %d bytes: %s',
  async (firstBytes, _, start, length, isDelivered) => {
    using pair = await openPair()
    const parts = partsOf(start, length, firstBytes)
    // Each part is a fragment, because TCP may join what is written separately.
    parts.forEach((part, i) =>
      pair.peer.write(serverFrame(part, { opcode: i === 0 ? 1 : 0, isLast: i === parts.length - 1 })),
    )
    pair.peer.write(serverFrame('{"id":2}'))
    await pair.second
    expect(pair.received).toHaveLength(isDelivered ? 2 : 1)
    expect(pair.transport.isOpen()).toBe(true)
  },
)

test('a browser that does not follow the protocol is not used any more', async () => {
  using pair = await openPair()
  pair.peer.write(serverFrame('{"id":1', { isLast: false }))
  pair.peer.write(serverFrame('{"id":2}'))
  await pair.closed
  expect([pair.transport.isOpen(), pair.received]).toEqual([false, []])
})

test('a server whose key is wrong is refused', async () => {
  const server = createServer((peer) => {
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket']
    peer.end([...lines, 'Sec-WebSocket-Accept: wrong', '', ''].join('\r\n'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const connecting = connectWebSocketTransport(url, AbortSignal.timeout(20_000))
  await expect(connecting).rejects.toThrow('not a WebSocket server')
  await connecting.catch(() => {})
  server.close()
})
