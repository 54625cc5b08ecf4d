import { describe, expect, test } from 'bun:test'

import { startApp } from '../http/app.ts'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const CLOUDFLARE = '<title>Just a moment...</title><body><script>window._cf_chl_opt = {}</script>'
const DATADOME = `<title>site.test</title><body><script src="https://ct.captcha-delivery.com/c.js"></script>`
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
    const response = await app.metadata(await app.newKey(), '/page')
    expect([response.status, await response.json()]).toEqual([502, { error: `Failed to fetch URL: ${reason}` }])
  })
})
