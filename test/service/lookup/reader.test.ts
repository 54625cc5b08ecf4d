import { describe, expect, test } from 'bun:test'

import type { RenderFailure } from '../../../src/core/fetch/render-report.ts'
import { startApp } from '../../http/app.ts'
import { openSites } from '../../sites/sites.ts'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const CLOUDFLARE = '<title>Just a moment...</title><body><script>window._cf_chl_opt = {}</script>'
const DATADOME = `<title>site.test</title><body><script src="https://ct.captcha-delivery.com/c.js"></script>`
const ARTICLE = `<title>A page</title><meta name="description" content="D"><p>${'four '.repeat(200)}`
const REFUSAL = '<title>Forbidden</title><h1>You cannot read this page.</h1>'

describe('a page that cannot be returned', () => {
  test.each<[name: string, status: number, html: string, reason: string]>([
    ['a challenge with 200', 200, CLOUDFLARE, 'blocked by the site'],
    ['a challenge with 401', 401, CLOUDFLARE, 'blocked by the site'],
    ['a challenge with 403', 403, CLOUDFLARE, 'blocked by the site'],
    ['a challenge with 405', 405, DATADOME, 'blocked by the site'],
    ['a challenge with 429', 429, CLOUDFLARE, 'blocked by the site'],
    ['a challenge with 503', 503, CLOUDFLARE, 'blocked by the site'],
    ['a plain 403', 403, REFUSAL, 'HTTP 403'],
    ['a plain 429', 429, REFUSAL, 'HTTP 429'],
    ['a plain 503', 503, REFUSAL, 'HTTP 503'],
    ['a 403 without a body', 403, '', 'HTTP 403'],
  ])('%s', async (_, status, html, reason) => {
    await using app = await startApp({ origin: () => new Response(html, { status, headers: HTML }) })
    const response = await app.metadata(await app.createKey(), '/page')
    expect([response.status, await response.json()]).toEqual([502, { error: `Failed to fetch URL: ${reason}` }])
  })
})

describe('the head of a response shows a bot defense', () => {
  test.each<[name: string, status: number, headers: Record<string, string>, html: string, error: string | null]>([
    ['with 200', 200, { 'cf-mitigated': 'challenge' }, ARTICLE, 'blocked by the site'],
    ['with 403', 403, { 'cf-mitigated': 'challenge' }, REFUSAL, 'blocked by the site'],
    ['without a page', 202, { 'x-amzn-waf-action': 'challenge' }, '', 'blocked by the site'],
    ['an uncertain sign and a refusal', 403, { 'x-kpsdk-ct': 'A' }, '', 'blocked by the site'],
    [
      'an uncertain sign and an empty page',
      200,
      { 'x-kpsdk-ct': 'A' },
      '<script src="/a.js"></script>',
      'blocked by the site',
    ],
    ['an uncertain sign and an article', 200, { 'x-kpsdk-ct': 'A' }, ARTICLE, null],
    ['a 404 behind a defense', 404, { 'x-datadome-cid': 'A' }, REFUSAL, 'HTTP 404'],
  ])('%s', async (_, status, headers, html, error) => {
    await using app = await startApp({ origin: () => new Response(html, { status, headers: { ...HTML, ...headers } }) })
    const response = await app.metadata(await app.createKey(), '/page')
    if (error === null) expect(await response.json()).toMatchObject({ title: 'A page' })
    else expect([response.status, await response.json()]).toEqual([502, { error: `Failed to fetch URL: ${error}` }])
  })
})

describe('a redirect to a login page', () => {
  const LOGIN = '<title>Log in</title><meta property="og:title" content="Site"><form><input type="password"></form>'
  const redirect = (location: string) => new Response('', { status: 302, headers: { location } })

  test.each<[name: string, location: string, status: number, error: string | null]>([
    ['with the address', '/accounts/login/?next=/page', 200, 'blocked by the site'],
    ['without the address', '/login', 200, 'blocked by the site'],
    ['that refuses as well', '/login?next=/page', 429, 'blocked by the site'],
    ['that does not exist', '/login?next=/page', 404, 'HTTP 404'],
    ['that has another path, with the address', '/moved?next=/page', 200, 'blocked by the site'],
    ['that is not a login page', '/moved', 200, null],
  ])('%s', async (_, location, status, error) => {
    await using app = await startApp({
      origin: ({ url }) =>
        new URL(url).pathname === '/page' ? redirect(location) : new Response(LOGIN, { status, headers: HTML }),
    })
    const response = await app.metadata(await app.createKey(), '/page')
    if (error === null) expect(await response.json()).toMatchObject({ title: 'Site' })
    else expect([response.status, await response.json()]).toEqual([502, { error: `Failed to fetch URL: ${error}` }])
    if (error === 'blocked by the site') await app.logged({ interstitial: 'login' })
  })
})

describe('a redirect by script', () => {
  const script = (target: string) => new Response(`<script>location.replace("${target}")</script>`, { headers: HTML })

  test.each<[name: string, answer: (path: string) => Response, expected: object]>([
    [
      'is followed',
      (path) => (path === '/page' ? script('/there') : new Response(ARTICLE, { headers: HTML })),
      { title: 'A page' },
    ],
    ['goes through the guard', () => script('http://10.0.0.1/'), { error: 'Failed to fetch URL: address not allowed' }],
    [
      'counts as a redirect',
      (path) => script(path === '/page' ? '/there' : '/page'),
      { error: 'Failed to fetch URL: too many redirects' },
    ],
    [
      'of an error page is not followed',
      () => new Response('<script>location.replace("/there")</script>', { status: 404, headers: HTML }),
      { error: 'Failed to fetch URL: HTTP 404' },
    ],
  ])('%s', async (_, answer, expected) => {
    await using app = await startApp({ origin: ({ url }) => answer(new URL(url).pathname) })
    const response = await app.metadata(await app.createKey(), '/page')
    expect(await response.json()).toMatchObject(expected)
  })
})

const IS_PROVISIONAL: Record<RenderFailure, boolean> = {
  busy: true,
  out_of_time: true,
  not_started: true,
  browser_gone: true,
  crashed: false,
  unreachable: false,
  not_a_page: false,
}

test('a result is provisional if rendering failed for a reason that may not apply again', async () => {
  const shell = '<title>Shell</title><body><div id="root"></div><script src="/app.js"></script>'
  await using sites = await openSites(['app.test'], () => new Response(shell, { headers: HTML }))
  const report = { durationMs: 1, requests: 1, bytes: 1, hosts: 1, refused: [] }
  const isProvisional = async (failure: RenderFailure) => {
    const renderer = { render: async () => ({ failure, report }) }
    return (await sites.read('https://app.test/', { renderer })).result.isProvisional
  }
  const failures = Object.keys(IS_PROVISIONAL) as RenderFailure[]
  const found = await Promise.all(failures.map(async (failure) => [failure, await isProvisional(failure)] as const))
  expect(Object.fromEntries(found)).toEqual(IS_PROVISIONAL)
})
