import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import { composeAccounts } from '../../../src/compose/accounts.ts'
import { parseConfig } from '../../../src/config.ts'
import { createFileEncoder } from '../../../src/http/server/compression.ts'
import { JO } from '../../identity/people.ts'
import { type SignInApp, startSignInApp } from '../sign-in-app.ts'

const LONG = `<title>${'A long title. '.repeat(120)}</title><link rel="icon" href="/i.png">`

let service: SignInApp
let session: string
let key: string
beforeAll(async () => {
  service = await startSignInApp({
    origin: ({ url }) =>
      new Response(url.endsWith('/long') ? LONG : '<title>Short</title><link rel="icon" href="/i.png">', {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      }),
    env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000' },
  })
  key = await service.app.createKey()
  const jo = await service.signedIn(JO)
  session = await jo.cookies.getCookieString(service.base)
})
afterAll(() => service[Symbol.asyncDispose]())

/** The response as it was sent, not decompressed. */
const raw = (path: string, acceptEncoding: string, headers: Record<string, string> = {}) =>
  fetch(service.app.url + path, { headers: { 'accept-encoding': acceptEncoding, ...headers }, decompress: false })

const api = (path: string) => `/v1/metadata?url=${encodeURIComponent(service.app.origin + path)}`

const DECODERS: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
}

describe('text of more than 1 KB', () => {
  test.each([
    ['a page', '/docs', 'gzip, deflate, br, zstd', 'gzip'],
    ['the landing page', '/', 'gzip', 'gzip'],
    ['the OpenAPI document', '/openapi.json', 'gzip', 'gzip'],
    ['a style sheet', '/style.css', 'gzip, deflate, br', 'br'],
    ['a style sheet, for a client that prefers gzip', '/style.css', 'br;q=0.5, gzip', 'gzip'],
    ['a style sheet, for a client that accepts anything', '/style.css', '*', 'br'],
    ['a style sheet, for a client that refuses brotli', '/style.css', 'br;q=0, *', 'gzip'],
    ['an encoding in capitals', '/docs', 'GZIP', 'gzip'],
  ])('is compressed: %s', async (_, path, accepted, encoding) => {
    const [plain, sent] = await Promise.all([raw(path, 'identity'), raw(path, accepted)])
    expect(sent.headers.get('content-encoding')).toBe(encoding)
    expect([plain.headers.get('vary'), sent.headers.get('vary')]).toEqual(['Accept-Encoding', 'Accept-Encoding'])
    const bytes = await sent.bytes()
    const text = await plain.bytes()
    expect(Buffer.from(DECODERS[encoding]!(bytes)).equals(text)).toBe(true)
    expect(bytes.length).toBeLessThan(text.length * 0.6)
    expect(sent.headers.get('content-type')).toBe(plain.headers.get('content-type'))
  })

  test.each([
    ['no encoding is accepted', '/docs', 'identity'],
    ['gzip is refused', '/docs', 'gzip;q=0'],
    ['plain text is preferred', '/docs', 'gzip;q=0.5, identity'],
    ['a weight is not a number', '/docs', 'gzip;q=high'],
    ['only other encodings are accepted', '/docs', 'deflate, zstd'],
  ])('is not compressed when %s', async (_, path, accepted) => {
    expect((await raw(path, accepted)).headers.get('content-encoding')).toBeNull()
  })

  test('is compressed for the API, fresh and cached, with all headers', async () => {
    for (const cache of ['MISS', 'HIT']) {
      const response = await raw(api('/long'), 'gzip', { 'x-api-key': key })
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-encoding': 'gzip',
        vary: 'Accept-Encoding',
        'content-type': 'application/json',
        'cache-control': 'private, no-store',
        'x-cache': cache,
      })
      const body = JSON.parse(gunzipSync(await response.bytes()).toString()) as { title: string }
      expect(body.title).toStartWith('A long title.')
    }
  })
})

test.each([
  ['a short response of the API', () => raw(api('/short'), 'gzip', { 'x-api-key': key })],
  ['a short response', () => raw('/healthz', 'gzip')],
  ['an error', () => raw('/v1/metadata', 'gzip')],
])('%s is not compressed', async (_, ask) => {
  expect((await ask()).headers.get('content-encoding')).toBeNull()
})

// BREACH (CVE-2013-3587): lengths must not depend on a secret on a page that also contains text from the request.
test.each(['/', '/keys', '/docs', '/playground', '/account'])('%s of a session is not compressed', async (path) => {
  const response = await raw(path, 'gzip, br', { cookie: session })
  expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null])
})

test('a page with a CSRF token is not compressed for visitors without a session', async () => {
  const parsed = parseConfig({ URLMETA_DATA_DIR: service.app.dataDir })
  if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
  await using composed = await composeAccounts(parsed.config)
  const { token } = await composed.accounts.createSignInLink('jo@example.com')
  const response = await raw(`/sign-in/link?token=${token}`, 'gzip', { accept: 'text/html' })
  expect(response.headers.get('content-encoding')).toBeNull()
  expect(await response.text()).toMatch(/name="csrf" value="[^"]+"/)
})

test.each([
  [1_023, undefined],
  [1_024, 'br'],
])('a file of %p characters has the encoding %p', (length, encoding) => {
  const request = new Request('http://localhost/', { headers: { 'accept-encoding': 'br' } })
  expect(createFileEncoder('x'.repeat(length))(request).headers['content-encoding']).toBe(encoding!)
})
