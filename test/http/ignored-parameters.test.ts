import { afterAll, beforeAll, expect, test } from 'bun:test'

import { requestUrl } from '../../views/requests/request-links.ts'
import { JO } from '../identity/people.ts'
import { until } from '../site.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'

const ORIGIN = 'https://app.example'

let service: SignInApp
let key: string
beforeAll(async () => {
  service = await startSignInApp({
    env: { URLMETA_CORS_ORIGINS: ORIGIN, URLMETA_PLAN_FREE_PER_MINUTE: '100' },
    origin: ({ url }) => new Response('<title>T</title>', { status: url.endsWith('/gone') ? 404 : 200 }),
  })
  key = await service.app.createKey(JO.email)
})
afterAll(() => service[Symbol.asyncDispose]())

const send = (query: string, init: RequestInit = {}) =>
  fetch(`${service.app.url}/v1/metadata?${query}`, { ...init, headers: { 'x-api-key': key, origin: ORIGIN } })

test.each<[name: string, query: (origin: string) => string, init: RequestInit, status: number]>([
  ['a fetched response', (origin) => `url=${origin}/&cach=false`, {}, 200],
  ['a cached response', (origin) => `url=${origin}/&cach=false`, {}, 200],
  ['HEAD', (origin) => `url=${origin}/&cach=false`, { method: 'HEAD' }, 200],
  ['an invalid URL', () => 'cach=false', {}, 400],
  ['a page that cannot be fetched', (origin) => `url=${origin}/gone&cach=false`, {}, 502],
])('%s names a misspelled parameter, also to pages of other origins', async (_, query, init, status) => {
  const response = await send(query(service.app.origin), init)
  expect([response.status, response.headers.get('x-ignored-parameters')]).toEqual([status, 'cach'])
  expect(response.headers.get('access-control-expose-headers')).toContain('X-Ignored-Parameters')
  const id = response.headers.get('x-request-id')!
  expect(await service.app.logged({ id, msg: 'request' })).toMatchObject({ ignoredParameters: 'cach' })
})

test('a response without such parameters has no such header', async () => {
  const response = await send(`url=${service.app.origin}/`)
  expect([response.status, response.headers.has('x-ignored-parameters')]).toEqual([200, false])
})

test('without a key, the parameters are not read', async () => {
  const response = await fetch(`${service.app.url}/v1/metadata?cach=false`)
  expect([response.status, response.headers.has('x-ignored-parameters')]).toEqual([401, false])
})

test('the page of the request names them, as text', async () => {
  const jo = await service.signedIn(JO)
  const response = await send(`url=${service.app.origin}/&${encodeURIComponent('<b>x')}=1`)
  const url = requestUrl(response.headers.get('x-request-id')!)
  // Requests are logged once per second.
  await until(async () => (await jo.get(url)).document.querySelector('.details') !== null, 100)
  expect(jo.page.document.querySelector('.details')!.text).toContain('Ignored parameters<b>x')
  expect(jo.page.document.querySelector('.details b')).toBeNull()
})
