import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'

import { FAILURES_PER_MINUTE } from '../../src/service/usage/failed-authentications.ts'
import { startApp, type TestApp } from './app.ts'

/** Requests sent at the same time. */
const BATCH = 50
const TOKEN = 'a-token-of-the-operator'
const BLOCKED = '198.51.100.7'
const SITE = 'https://site.example'
const UNKNOWN_KEY = `urlmeta_live_${'0'.repeat(32)}`

/** Statuses of requests with the headers, as many as a client may send in a minute. */
async function flood(url: string, headers: Record<string, string>): Promise<Set<number>> {
  const statuses = new Set<number>()
  for (let sent = 0; sent < FAILURES_PER_MINUTE; sent += BATCH) {
    const batch = await Promise.all(Array.from({ length: BATCH }, () => fetch(url, { headers })))
    for (const { status } of batch) statuses.add(status)
  }
  return statuses
}

describe('a client address that sent 1,000 requests without a key in a minute', () => {
  let app: TestApp
  let key: string
  let restrictedKey: string
  beforeAll(async () => {
    // All requests are in the same minute, because this stops the clock.
    setSystemTime(new Date('2026-11-20T12:00:18Z'))
    app = await startApp({ env: { URLMETA_TRUSTED_PROXIES: '127.0.0.1', URLMETA_METRICS_TOKEN: TOKEN } })
    key = await app.createKey()
    restrictedKey = await app.createKey('ann@example.com', { allowedAddresses: ['192.0.2.1'] })
    await app.createKey('eve@example.com', { allowedOrigins: [SITE] })
    expect(await flood(`${app.url}/v1/metadata`, { 'x-forwarded-for': BLOCKED })).toEqual(new Set([401]))
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    setSystemTime()
  })

  const request = (headers: Record<string, string>) => {
    const query = new URLSearchParams({ url: `${app.origin}/page` })
    return fetch(`${app.url}/v1/metadata?${query}`, { headers })
  }

  test('gets 429 with Retry-After for another one', async () => {
    const response = await request({ 'x-forwarded-for': BLOCKED })
    expect([response.status, await response.json()]).toEqual([
      429,
      {
        error:
          'Rate limit exceeded: 1000 failed authentications per minute allowed per client address. Retry in 42 seconds.',
      },
    ])
    expect(response.headers.get('retry-after')).toBe('42')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    for (const name of ['www-authenticate', 'x-ratelimit-limit', 'ratelimit'])
      expect(response.headers.has(name)).toBe(false)
    await app.logged({ route: '/v1/metadata', status: 429, outcome: 'authentication_limit' })
  })

  test.each([
    ['a page on which a key works', SITE, SITE],
    ['another page', 'https://other.example', null],
  ])('is told so on %s: %s', async (_, origin, readableBy) => {
    const response = await request({ 'x-api-key': UNKNOWN_KEY, 'x-forwarded-for': BLOCKED, origin })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([429, readableBy])
  })

  test.each<[string, () => Record<string, string>, number]>([
    ['an unknown key, from its address', () => ({ 'x-api-key': UNKNOWN_KEY, 'x-forwarded-for': BLOCKED }), 429],
    ['a malformed key, from its address', () => ({ 'x-api-key': 'none', 'x-forwarded-for': BLOCKED }), 429],
    ['a valid key, from its address', () => ({ 'x-api-key': key, 'x-forwarded-for': BLOCKED }), 200],
    [
      'a valid key that its address may not use',
      () => ({ 'x-api-key': restrictedKey, 'x-forwarded-for': BLOCKED }),
      403,
    ],
    ['no key, from another address', () => ({ 'x-forwarded-for': '198.51.100.8' }), 401],
    ['no key, from the same address after a forged one', () => ({ 'x-forwarded-for': `192.0.2.9, ${BLOCKED}` }), 429],
    ['no key, from the proxy', () => ({}), 401],
    ['no key, from an unknown address', () => ({ 'x-forwarded-for': `${BLOCKED}, unknown` }), 401],
  ])('%s', async (_, headers, status) => {
    expect((await request(headers())).status).toBe(status)
  })

  test('its attempts with metrics tokens are limited too, and the right token is accepted', async () => {
    const scrape = (authorization: string) =>
      fetch(`${app.url}/metrics`, { headers: { authorization, 'x-forwarded-for': BLOCKED } })
    expect((await scrape('Bearer other')).status).toBe(429)
    const accepted = await scrape(`Bearer ${TOKEN}`)
    expect(accepted.status).toBe(200)
    expect(await accepted.text()).toMatch(/\nurlmeta_admission_refusals_total\{reason="authentication_limit"\} [1-9]/)
  })
})

test('a client that is not a trusted proxy gets no further attempts by changing X-Forwarded-For', async () => {
  setSystemTime(new Date('2026-11-20T12:00:18Z'))
  try {
    await using app = await startApp()
    await flood(`${app.url}/v1/metadata`, { 'x-forwarded-for': BLOCKED })
    const response = await fetch(`${app.url}/v1/metadata`, { headers: { 'x-forwarded-for': '198.51.100.8' } })
    expect(response.status).toBe(429)
  } finally {
    setSystemTime()
  }
})
