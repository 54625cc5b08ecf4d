import { once } from 'node:events'
import { connect } from 'node:net'

import { expect, test } from 'bun:test'

import { MAX_INCOMING_BODIES } from '../../src/http/server/incoming-bodies.ts'
import { startApp } from './app.ts'

test('a request that finds the queue full gets 502 and is not charged', async () => {
  let isSlow = true
  const released = Promise.withResolvers<void>()
  await using app = await startApp({
    env: { URLMETA_FETCH_CONCURRENCY: '1', URLMETA_PLAN_FREE_PER_MINUTE: '1000' },
    async origin() {
      if (isSlow) await released.promise
      return new Response('<link rel=icon href=/i>', { headers: { 'content-type': 'text/html' } })
    },
  })
  const key = await app.createKey()
  // One request runs and sixteen wait.
  const pending = Array.from({ length: 1 + 16 + 1 }, (_, i) => app.metadata(key, `/${i}`, { timeout: '15000' }))
  const refused = await Promise.race(pending)
  expect([refused.status, await refused.json()]).toEqual([
    502,
    { error: 'Failed to fetch URL: too many requests are waiting' },
  ])
  isSlow = false
  released.resolve()
  const statuses = (await Promise.all(pending)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(17)
  const last = await app.metadata(key, '/last')
  expect(last.headers.get('x-monthly-used')).toBe('18')
})

/** Connections that each send the text and nothing more. */
async function openClients(url: string, count: number, text: string) {
  const { hostname, port } = new URL(url)
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      await once(socket, 'connect')
      if (text !== '') socket.write(text)
      return socket
    }),
  )
  return { sockets, [Symbol.dispose]: () => sockets.forEach((socket) => socket.destroy()) }
}

const GET_DOCUMENT = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'

test.each([
  ['send nothing', ''],
  ['send half a head', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-'],
  ['send half a body', 'POST /sign-out HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx'],
  ['send many requests and read no responses', GET_DOCUMENT.repeat(20)],
])('clients that %s do not block other requests', async (_, text) => {
  await using app = await startApp()
  using _clients = await openClients(app.url, 200, text)
  expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
})

test('clients without a key that never finish their bodies cannot fill the memory', async () => {
  await using app = await startApp()
  const half = 'POST /compat/linkpreview HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nq='
  using clients = await openClients(app.url, MAX_INCOMING_BODIES + 1, half)
  const [response] = await Promise.race(clients.sockets.map((socket) => once(socket, 'data')))
  expect(String(response)).toStartWith('HTTP/1.1 400 ')
  const whole = await fetch(`${app.url}/compat/linkpreview`, { method: 'POST', body: 'q=https://example.com' })
  expect(whole.status).toBe(401)
})

test('pipelined requests get their responses in order', async () => {
  await using app = await startApp()
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (chunk) => (received += chunk.toString('latin1')))
  const paths = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? '/healthz' : '/no-such-page'))
  const heads = paths.map(
    (path, i) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${i === 99 ? 'Connection: close\r\n' : ''}\r\n`,
  )
  socket.write(heads.join(''))
  await once(socket, 'close')
  const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  expect(statuses).toEqual(paths.map((path) => (path === '/healthz' ? '200' : '404')))
})
