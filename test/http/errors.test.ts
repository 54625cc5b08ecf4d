import { describe, expect, test } from 'bun:test'

import { startApp } from './app.ts'

describe('WWW-Authenticate', () => {
  test.each([
    ['no key', '/v1/metadata', {}, 401, 'ApiKey realm="urlmeta", header="X-API-Key"'],
    ['a wrong key', '/v1/metadata', { 'x-api-key': 'x' }, 401, 'ApiKey realm="urlmeta", header="X-API-Key"'],
    ['no session', '/keys', {}, 401, 'Cookie realm="urlmeta", form-action="/sign-in", cookie-name="urlmeta_session"'],
    ['an unknown path', '/nothing', {}, 404, null],
  ])('of a request with %s', async (_, path, headers, status, challenge) => {
    await using app = await startApp()
    const response = await fetch(app.url + path, { headers })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([status, challenge])
  })
})
