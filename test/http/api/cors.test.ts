import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { startApp, type TestApp } from '../app.ts'

const ALLOWED = 'https://app.example'
const OTHER = 'https://app.example.evil.example'
const API = '/v1/metadata'

const send = ({ url }: TestApp, path: string, headers: Record<string, string>, method = 'GET') =>
  fetch(url + path, { method, headers })
const corsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))

describe('with URLMETA_CORS_ORIGINS', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startApp({ env: { URLMETA_CORS_ORIGINS: `${ALLOWED}, http://localhost:5173` } })
    key = await app.createKey()
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const preflight = (origin: string) =>
    send(
      app,
      API,
      { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' },
      'OPTIONS',
    )

  test.each([ALLOWED, 'http://localhost:5173'])('a preflight of %s may send the key', async (origin) => {
    const response = await preflight(origin)
    expect(response.status).toBe(204)
    expect(response.headers.get('vary')).toBe('Origin')
    expect(corsOf(response)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-max-age': '7200',
    })
    expect(corsOf(response)).not.toHaveProperty('access-control-allow-credentials')
  })

  test.each([
    ['@editorjs/link', '/compat/editorjs', ['x-api-key', 'x-requested-with']],
    ['@microlink/mql, unless in Chromium,', '/compat/microlink', ['user-agent', 'x-api-key']],
    ['LinkPreview', '/compat/linkpreview', ['content-type', 'x-linkpreview-api-key']],
    ['a client that always sends a type', API, ['content-type', 'x-api-key']],
    ['a page that traces its requests', API, ['traceparent', 'tracestate', 'x-api-key']],
  ])('%s may send its headers to %s', async (_, path, sent) => {
    const headers = { 'access-control-request-method': 'GET', 'access-control-request-headers': sent.join(',') }
    const response = await send(app, path, { origin: ALLOWED, ...headers }, 'OPTIONS')
    const allowed = response.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
    expect([response.status, allowed]).toEqual([204, expect.arrayContaining(sent)])
  })

  test.each([
    ['another origin', OTHER],
    ['another scheme', 'http://app.example'],
    ['another port', 'https://app.example:8443'],
    ['an opaque origin', 'null'],
  ])('a preflight of %s may not send the key', async (_, origin) => {
    const response = await preflight(origin)
    expect([response.status, corsOf(response)]).toEqual([204, {}])
  })

  test.each([
    ['a successful response', () => ({ 'x-api-key': key }), 200],
    ['an error', () => ({}), 401],
  ])('%s can be read, including its limit headers', async (_, headers, status) => {
    const path = `${API}?url=${encodeURIComponent(`${app.origin}/`)}`
    const response = await send(app, path, { origin: ALLOWED, ...headers() })
    expect([response.status, response.headers.get('vary')]).toEqual([status, 'Origin'])
    expect(response.headers.get('access-control-allow-origin')).toBe(ALLOWED)
    const exposed = response.headers.get('access-control-expose-headers')?.toLowerCase().split(', ') ?? []
    const ours = [...response.headers.keys()].filter((name) => /^x-(?!content)|^ratelimit/.test(name))
    expect(ours.filter((name) => !exposed.includes(name))).toEqual([])
  })

  test('a response to another origin cannot, and varies by origin', async () => {
    const response = await send(app, API, { origin: OTHER })
    expect([corsOf(response), response.headers.get('vary')]).toEqual([{}, 'Origin'])
  })

  test.each(['/', '/docs', '/keys', '/metrics', '/healthz'])('%s allows no other origin', async (path) => {
    expect(corsOf(await send(app, path, { origin: ALLOWED }))).toEqual({})
  })

  test('the methods of a path name OPTIONS', async () => {
    expect((await send(app, API, {}, 'POST')).headers.get('allow')).toBe('OPTIONS, GET, HEAD')
  })
})

describe('without URLMETA_CORS_ORIGINS', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test.each(['GET', 'OPTIONS'])('%s has no CORS headers', async (method) => {
    const response = await send(app, API, { origin: ALLOWED }, method)
    expect([corsOf(response), response.headers.get('vary')]).toEqual([{}, null])
  })

  test('openapi.json is open to all origins', async () => {
    expect(corsOf(await send(app, '/openapi.json', { origin: OTHER }))).toEqual({ 'access-control-allow-origin': '*' })
  })
})
