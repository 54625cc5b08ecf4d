import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'

import { createAccessLog, type AccessLogEntry } from '../../../src/http/server/access-log.ts'

test.each([
  [200, 'ok'],
  [299, 'ok'],
  [300, 'redirect'],
  [399, 'redirect'],
  [400, 'invalid_request'],
  [401, 'refused'],
  [499, 'refused'],
  [500, 'failed'],
])('a response with status %d is logged as %s', async (status, outcome) => {
  const logged = Promise.withResolvers<AccessLogEntry>()
  const { plugin } = createAccessLog({
    onRequestEnd: logged.resolve,
    trustedProxies: [],
    newId: () => 'id',
    peerOf: () => null,
  })
  await new Elysia()
    .use(plugin)
    .get('/path/:name', () => new Response('', { status }))
    .handle(new Request('http://localhost/path/a?secret'))
  const { ms, ...entry } = await logged.promise
  expect(Number.isInteger(ms)).toBe(true)
  expect(entry).toEqual({ id: 'id', method: 'GET', route: '/path/:name', status, outcome } as AccessLogEntry)
})
