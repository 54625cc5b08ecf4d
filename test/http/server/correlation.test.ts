import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { startApp, type TestApp } from '../app.ts'

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

let direct: TestApp
let proxied: TestApp
beforeAll(async () => {
  direct = await startApp()
  proxied = await startApp({ env: { URLMETA_TRUSTED_PROXIES: '127.0.0.1' } })
})
afterAll(async () => {
  await direct[Symbol.asyncDispose]()
  await proxied[Symbol.asyncDispose]()
})

const ask = (app: TestApp, headers: Record<string, string>, path = '/healthz') => fetch(app.url + path, { headers })
const idOf = ({ headers }: Response) => headers.get('x-request-id')!

describe('X-Request-Id', () => {
  test.each([
    ['a UUID', '01a20006-e649-75f1-8b0f-29c2e678a49a'],
    ['hexadecimal', 'd2f1c4a09be0'],
    ['an Amazon trace id', 'Root=1-67891233-abcdef012345678912345678'],
    ['base64', 'q83vASNFZ4k+/w=='],
    ['128 characters', 'x'.repeat(128)],
  ])('of a trusted proxy is kept: %s', async (_, id) => {
    expect(idOf(await ask(proxied, { 'x-request-id': id }))).toBe(id)
    expect(await proxied.logged({ id })).toMatchObject({ route: '/healthz' })
  })

  test.each([
    ['nothing', ''],
    ['a space', 'a b'],
    ['a quote', 'a"b'],
    ['two of them', 'a, b'],
    ['129 characters', 'x'.repeat(129)],
  ])('of a trusted proxy is replaced when it has %s', async (_, id) => {
    expect(idOf(await ask(proxied, { 'x-request-id': id }))).toMatch(UUID)
  })

  test('of an untrusted peer is replaced, even if it claims to be a proxy', async () => {
    const headers = { 'x-request-id': 'mine', 'x-forwarded-for': '127.0.0.1' }
    expect(idOf(await ask(direct, headers))).toMatch(UUID)
  })

  test('of an error is the one of its log line', async () => {
    const response = await ask(proxied, { 'x-request-id': 'failed-one' }, '/v1/metadata')
    expect([response.status, idOf(response)]).toEqual([401, 'failed-one'])
    expect(await proxied.logged({ id: 'failed-one' })).toMatchObject({ outcome: 'unauthorized' })
  })
})

describe('traceparent', () => {
  test.each([
    ['a JSON response', '/healthz', 200],
    ['an error', '/v1/metadata', 401],
    ['a page', '/docs', 200],
  ])('is returned unchanged with %s, and its ids are logged', async (_, path, status) => {
    const response = await ask(direct, { traceparent: TRACEPARENT }, path)
    expect([response.status, response.headers.get('traceparent')]).toEqual([status, TRACEPARENT])
    expect(await direct.logged({ id: idOf(response) })).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentId: 'b7ad6b7169203331',
    })
  })

  test('that is malformed is neither sent back nor logged', async () => {
    const response = await ask(direct, { traceparent: `${TRACEPARENT}-more` })
    expect(response.headers.get('traceparent')).toBeNull()
    expect(Object.keys(await direct.logged({ id: idOf(response) }))).not.toContain('traceId')
  })

  test('is not sent to the sites that are fetched', async () => {
    const received: (string | null)[] = []
    await using app = await startApp({
      origin({ headers }) {
        received.push(headers.get('traceparent'), headers.get('tracestate'), headers.get('x-request-id'))
        return new Response('<title>A page</title>', { headers: { 'content-type': 'text/html' } })
      },
    })
    const key = await app.createKey()
    const url = encodeURIComponent(`${app.origin}/`)
    const headers = { 'x-api-key': key, traceparent: TRACEPARENT, tracestate: 'a=b' }
    expect((await fetch(`${app.url}/v1/metadata?url=${url}`, { headers })).status).toBe(200)
    expect(received.length).toBeGreaterThan(0)
    expect(new Set(received)).toEqual(new Set([null]))
  })
})
