import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'

import { parseAddress } from '../../src/core/net/address.ts'
import { metricsRoutes } from '../../src/http/routes/metrics.ts'
import type { PeerOf } from '../../src/http/server/remote-addresses.ts'
import { startApp, type TestApp } from './app.ts'

const TOKEN = 'a-token-of-the-operator'
const read = ({ url }: TestApp, headers: Record<string, string> = {}) => fetch(`${url}/metrics`, { headers })

describe('with URLMETA_METRICS_TOKEN', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp({ env: { URLMETA_METRICS_TOKEN: TOKEN } })
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test.each([
    ['the token', `Bearer ${TOKEN}`],
    ['the scheme in other letters', `bearer  ${TOKEN}`],
  ])('%s is accepted', async (_, authorization) => {
    const response = await read(app, { authorization })
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(response.headers.get('content-type')).toStartWith('text/plain; version=0.0.4')
    expect(await response.text()).toContain('\nurlmeta_build_info{')
  })

  test('also through a proxy', async () => {
    expect((await read(app, { authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '192.0.2.1' })).status).toBe(200)
  })

  test.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['another token', { authorization: 'Bearer other' }],
    ['the beginning of the token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['more than the token', { authorization: `Bearer ${TOKEN}x` }],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
    ['no scheme', { authorization: TOKEN }],
    ['an empty token', { authorization: 'Bearer ' }],
  ])('%s is rejected, even from a local peer', async (_, headers) => {
    const response = await read(app, headers)
    expect([response.status, await response.json()]).toEqual([401, { error: 'Invalid metrics token' }])
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="urlmeta metrics"')
  })
})

describe('without a token', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp({ env: { URLMETA_TRUSTED_PROXIES: '127.0.0.1' } })
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test('a local peer may read it', async () => expect((await read(app)).status).toBe(200))

  test.each<[string, Record<string, string>]>([
    ['nginx', { 'x-forwarded-for': '198.51.100.7' }],
    ['nginx, for a client that claims to be local', { 'x-forwarded-for': '127.0.0.1' }],
    ['a proxy with Forwarded', { forwarded: 'for=198.51.100.7' }],
    ['a proxy with X-Real-IP', { 'x-real-ip': '198.51.100.7' }],
    ['a proxy with Via', { via: '1.1 proxy' }],
  ])('a local peer that is %s may not read it', async (_, headers) => {
    expect((await read(app, headers)).status).toBe(403)
  })

  const outward = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address
  const testOutward = outward === undefined ? test.skip : test
  testOutward('a peer on another address may not, regardless of its headers', async () => {
    const metrics = { scrape: async () => 'secret', contentType: 'text/plain' }
    const failedAuthentications = { count: async () => {} }
    const peerOf: PeerOf = (request) => parseAddress(server.server!.requestIP(request)!.address)
    const deps = { metricsToken: null, metrics, failedAuthentications, peerOf, clientOf: () => null }
    const server = metricsRoutes(deps).listen({ hostname: '0.0.0.0', port: 0 })
    try {
      const ask = (host: string) => fetch(`http://${host}:${server.server!.port}/metrics`)
      expect(await (await ask('127.0.0.1')).text()).toBe('secret')
      expect(await (await ask(outward!)).text()).not.toContain('secret')
    } finally {
      await server.stop(true)
    }
  })
})
