import { describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'

import { createAccessLog } from '../../../src/http/server/access-log.ts'
import responses from '../../../src/http/errors/error-responses.json'
import { createErrors } from '../../../src/http/errors/errors.ts'
import { startApp } from '../app.ts'

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

  test('exists for every kind of error with status 401', () => {
    const kinds = Object.entries(responses.statuses).filter(([, status]) => status === 401)
    expect(Object.keys(responses.challenges).toSorted()).toEqual(kinds.map(([kind]) => kind).toSorted())
  })
})

test('a browser without a session is redirected to sign in, and then back', async () => {
  await using app = await startApp()
  const response = await fetch(`${app.url}/keys?page=2`, { headers: { accept: 'text/html' }, redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fkeys%3Fpage%3D2'])
  expect(response.headers.get('set-cookie')).toBeNull()
})

test('if the error page fails, the response is JSON, and both errors are reported', async () => {
  const reported: unknown[] = []
  const [failure, pageFailure] = [new Error('the route failed'), new Error('the error page failed')]
  const app = new Elysia()
    .use(
      createErrors({
        accessLog: createAccessLog({ onRequestEnd() {}, trustedProxies: [], newId: () => 'id', peerOf: () => null }),
        methodsOf: () => ['GET'],
        onInternalError: (error) => reported.push(error),
        onSignInError() {},
        errorBody: (_, { message }) => ({ error: message }),
        errorPages: () => Promise.reject(pageFailure),
        now: () => 0,
      }),
    )
    .get('/', () => {
      throw failure
    })
  const response = await app.handle(new Request('http://localhost/'))
  expect([response.status, await response.json()]).toEqual([500, { error: 'Internal server error' }])
  expect(reported).toEqual([failure, pageFailure])
})
