import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { JO } from '../identity/people.ts'
import { startApp, type TestApp } from './app.ts'
import type { Browser } from './browser.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'

/** The log line of the request with this response. */
async function lineOf({ log }: TestApp, { headers }: Pick<Response, 'headers'>): Promise<Record<string, unknown>> {
  for (;;) {
    const line = log.find(({ msg, id }) => msg === 'request' && id === headers.get('x-request-id'))
    if (line) return line
    // The timeout of the test ends the wait.
    await Bun.sleep(1)
  }
}

describe('the log line has the status that was sent, and the outcome', () => {
  let service: SignInApp
  let jo: Browser
  beforeAll(async () => {
    service = await startSignInApp({
      origin: () => new Response(null, { status: 404 }),
      env: { URLMETA_PLAN_FREE_KEYS: '1' },
    })
    jo = await service.signedIn(JO)
    await jo.get('/keys')
    await jo.send('/keys', { name: 'the only key' })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  type Send = () => Promise<Pick<Response, 'headers' | 'status'>>
  const get = (path: string, init: RequestInit = {}): Send => {
    return () => fetch(service.base + path, { redirect: 'manual', ...init })
  }
  const html = { headers: { accept: 'text/html' } }
  const send = (path: string, fields: Record<string, string>): Send => {
    return async () => {
      const csrf = /name="csrf" value="([^"]*)"/.exec(jo.page.body)![1]!
      const body = new URLSearchParams({ csrf, ...fields }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
      return jo.request(service.base + path, { method: 'POST', headers, body })
    }
  }

  test.each<[string, Send, number, string, string]>([
    ['a page', get('/docs'), 200, 'ok', '/docs'],
    ['a HEAD request for a page', get('/docs', { method: 'HEAD' }), 200, 'ok', '/docs'],
    ['a file', get('/favicon.svg'), 200, 'ok', '/favicon.svg'],
    ['a file that is redirected', get('/favicon.ico'), 301, 'redirect', '/favicon.ico'],
    ['a redirect to a provider', get('/sign-in/github'), 303, 'redirect', '/sign-in/:provider'],
    [
      'a HEAD request for a callback',
      get('/sign-in/github/callback', { method: 'HEAD' }),
      204,
      'ok',
      '/sign-in/:provider/callback',
    ],
    [
      'a callback without a state',
      get('/sign-in/github/callback'),
      400,
      'sign_in_failed',
      '/sign-in/:provider/callback',
    ],
    ['a page that requires sign-in, for a browser', get('/keys', html), 303, 'sign_in_required', '/keys'],
    ['a page that requires sign-in, for a program', get('/keys'), 401, 'sign_in_required', '/keys'],
    ['an unknown path, for a browser', get('/nothing', html), 404, 'not_found', '-'],
    ['an unknown path, for a program', get('/nothing'), 404, 'not_found', '-'],
    ['an unsupported method', get('/docs', { method: 'DELETE' }), 405, 'method_not_allowed', '-'],
    ['the API without a key', get('/v1/metadata'), 401, 'unauthorized', '/v1/metadata'],
    ['a form with an invalid token', send('/keys', { csrf: 'x', name: 'n' }), 403, 'form_expired', '/keys'],
    ['a key beyond the limit of the plan', send('/keys', { name: 'n' }), 409, 'key_limit', '/keys'],
    ['a form with an invalid field', send('/keys', { name: '' }), 400, 'invalid_request', '/keys'],
    [
      'an invalid form that is shown again',
      send('/account/delete', { confirm: 'no' }),
      400,
      'invalid_request',
      '/account/delete',
    ],
    [
      'a form that redirects',
      send('/account/sessions/revoke-others', {}),
      303,
      'redirect',
      '/account/sessions/revoke-others',
    ],
    ['the playground without a URL', send('/playground', { url: '' }), 303, 'redirect', '/playground'],
    [
      'a result that does not exist',
      () => jo.request(`${service.base}/playground/results/x`),
      404,
      'refused',
      '/playground/results/:id',
    ],
    [
      'an invalid image link',
      () => jo.request(`${service.base}/playground/image`),
      404,
      'refused',
      '/playground/image',
    ],
  ])('%s', async (_, ask, status, outcome, route) => {
    const response = await ask()
    expect(response.status).toBe(status)
    expect(await lineOf(service.app, response)).toMatchObject({ status, outcome, route })
  })

  test('a failed fetch in the playground is shown, and the log line has the reason', async () => {
    const response = await send('/playground', { url: `${service.app.origin}/page`, timeout: '5000' })()
    expect(await lineOf(service.app, response)).toMatchObject({
      status: 303,
      outcome: 'fetch_failed',
      failure: 'http_status',
      detail: 'HTTP 404',
      methodReason: 'error_status',
      redirects: 0,
    })
  })
})

describe('the log line describes the fetch', () => {
  const challenge = readFileSync(join(import.meta.dir, '../fixtures/pages/challenge-cloudflare/page.html'), 'utf8')
  const consent = '<title>Before you continue</title><p>We use cookies.</p><button>Accept</button>'
  const html = { 'content-type': 'text/html; charset=utf-8' }
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startApp({
      env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000' },
      async origin(request) {
        const { pathname } = new URL(request.url)
        if (pathname === '/hops') return new Response(null, { status: 302, headers: { location: '/hop' } })
        if (pathname === '/hop') return new Response(null, { status: 302, headers: { location: '/page' } })
        if (pathname === '/consent') return new Response(consent, { headers: html })
        if (pathname === '/challenge') return new Response(challenge, { headers: html })
        if (pathname === '/gone') return new Response('', { status: 410, headers: html })
        if (pathname === '/loop') return new Response(null, { status: 302, headers: { location: '/loop' } })
        if (pathname === '/inside') return Response.redirect('http://169.254.169.254/', 302)
        if (pathname === '/late') await Bun.sleep(2_000)
        return new Response('<title>A page</title><link rel="icon" href="/i.png">', { headers: html })
      },
    })
    key = await app.createKey()
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const line = async (path: string, parameters: Record<string, string> = {}) =>
    lineOf(app, await app.metadata(key, path, parameters))

  test('has redirects, method, reason and the time of each phase', async () => {
    expect(await line('/hops')).toMatchObject({
      status: 200,
      redirects: 2,
      fetchMethod: 'http',
      methodReason: 'no_scripts',
      phases: {
        connect: expect.any(Number),
        firstByte: expect.any(Number),
        body: expect.any(Number),
      },
    })
  })

  test.each<[string, string, Record<string, string>, object]>([
    ['a status', '/gone', {}, { failure: 'http_status', detail: 'HTTP 410', methodReason: 'error_status' }],
    ['a timeout', '/late', { timeout: '100' }, { failure: 'timeout', detail: 'timed out after 100 ms' }],
    ['a circle', '/loop', {}, { failure: 'too_many_redirects', redirects: 1 }],
    ['an address', '/inside', {}, { failure: 'address_not_allowed', detail: 'cloud_metadata', redirects: 1 }],
    ['a consent page', '/consent', {}, { failure: 'blocked_by_site', interstitial: 'consent' }],
    [
      'a challenge',
      '/challenge',
      {},
      { failure: 'blocked_by_site', interstitial: 'cloudflare', methodReason: 'no_browser' },
    ],
  ])('a failure by %s', async (_, path, parameters, fields) => {
    const found = await line(path, parameters)
    expect(found).toMatchObject({ status: 502, outcome: 'fetch_failed', ...fields })
    expect(found).not.toHaveProperty('fetchMethod')
  })

  test('has none of it for a cached response', async () => {
    await line('/cached')
    const cached = await line('/cached')
    expect(cached).toMatchObject({ cache: 'HIT', cacheLayer: 'memory', outcome: 'ok' })
    expect(Object.keys(cached)).not.toContain('redirects')
    expect(Object.keys(cached)).not.toContain('phases')
  })

  test('does not have the client address', async () => {
    expect(JSON.stringify(await line('/page'))).not.toMatch(/127\.0\.0\.1(?!:)/)
  })
})
