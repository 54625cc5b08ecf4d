import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ANN, JO } from '../identity/people.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'
import { newKeyIn } from './page-parts.ts'

/** A folder that is removed when it is disposed. */
async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'urlmeta-alerts-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

interface Received {
  method: string
  headers: Headers
  body: string
}

let service: SignInApp
/** Requests for each path of the receiver. */
const received = new Map<string, Received[]>()

beforeAll(async () => {
  service = await startSignInApp({
    env: { URLMETA_PLAN_FREE_PER_MONTH: '5' },
    async origin(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/page') return new Response('<title>T</title>')
      const { method, headers } = request
      received.set(pathname, [...(received.get(pathname) ?? []), { method, headers, body: await request.text() }])
      if (pathname === '/moved') return new Response(null, { status: 307, headers: { location: '/hook' } })
      if (pathname === '/broken') return new Response('no', { status: 500 })
      if (pathname === '/endless') {
        return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }))
      }
      return new Response('ok')
    },
  })
})
afterAll(() => service[Symbol.asyncDispose]())

test('a test message is sent, with a signature that the shown secret verifies', async () => {
  const browser = await service.signedIn(JO)
  await browser.get('/account')
  const saved = await browser.send('/account/alerts', { url: `${service.app.origin}/hook` })
  expect(saved.body).toContain('Usage alerts will be sent to this URL.')
  const secret = saved.document.querySelectorAll('code').find(({ text }) => text.startsWith('whsec_'))!.text
  const tested = await browser.send('/account/alerts/test')
  expect(tested.body).toContain('The test message was delivered.')
  const [message] = received.get('/hook')!
  expect(message!.method).toBe('POST')
  expect(message!.headers.get('content-type')).toBe('application/json')
  expect(message!.headers.get('user-agent')).toContain('urlmeta')
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(message!.headers.get('urlmeta-signature')!)!
  expect(createHmac('sha256', secret).update(`${time}.${message!.body}`).digest('hex')).toBe(signature!)
  expect(JSON.parse(message!.body)).toMatchObject({ type: 'usage.test', data: { used: 0, limit: 5 } })

  const removed = await browser.send('/account/alerts/remove')
  expect(removed.body).toContain('Webhook removed')
  expect(removed.body).not.toContain(secret)
  expect((await browser.send('/account/alerts/test')).status).toBe(404)
})

test('the code in the documentation verifies the signature of a message', async () => {
  const browser = await service.signedIn(JO)
  await browser.get('/account')
  const saved = await browser.send('/account/alerts', { url: `${service.app.origin}/documented` })
  const secret = saved.document.querySelectorAll('code').find(({ text }) => text.startsWith('whsec_'))!.text
  await browser.send('/account/alerts/test')
  const [{ body, headers }] = received.get('/documented') as [Received]
  const header = headers.get('urlmeta-signature')!

  const { document } = await browser.get('/docs/webhooks')
  const codeIn = (language: string) => document.querySelector(`code.language-${language}`)!.text
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'verify.ts')
  await Bun.write(file, codeIn('ts'))
  const { isAuthentic } = (await import(file)) as { isAuthentic(body: string, header: string, secret: string): boolean }
  expect(isAuthentic(body, header, secret)).toBe(true)
  expect(isAuthentic(`${body} `, header, secret)).toBe(false)
  expect(isAuthentic(body, header, 'whsec_other')).toBe(false)
  expect(isAuthentic(body, header.replace(/t=\d+/, 't=1'), secret)).toBe(false)
  expect(isAuthentic(body, 'v1=', secret)).toBe(false)
  const example = JSON.parse(codeIn('json')) as object
  expect(example).toEqual({
    id: expect.any(String),
    type: 'usage.threshold_reached',
    created_at: '2026-11-20T12:00:00.000Z',
    data: { threshold_percent: 80, month: '2026-11', used: 800, limit: 1_000, resets_at: '2026-12-01T00:00:00Z' },
  })
  await browser.get('/account')
  await browser.send('/account/alerts/remove')
})

test.each([
  ['a redirect is not followed', '/moved', 'The test message failed: HTTP 307'],
  ['an error status', '/broken', 'The test message failed: HTTP 500'],
])('%s', async (_, path, message) => {
  const browser = await service.signedIn(ANN)
  await browser.get('/account')
  await browser.send('/account/alerts', { url: service.app.origin + path })
  const page = await browser.send('/account/alerts/test')
  expect([page.status, page.document.querySelector('#alerts ~ .error')?.text]).toEqual([200, message])
  expect(page.document.querySelector('#url')?.getAttribute('value')).toBe(service.app.origin + path)
})

test('an endless response counts as accepted, and is not read to its end', async () => {
  const browser = await service.signedIn(ANN)
  await browser.get('/account')
  await browser.send('/account/alerts', { url: `${service.app.origin}/endless` })
  expect((await browser.send('/account/alerts/test')).body).toContain('The test message was delivered.')
})

test('a URL that the guard refuses is explained at the field', async () => {
  const browser = await service.signedIn(ANN)
  await browser.get('/account')
  const page = await browser.send('/account/alerts', { url: 'http://169.254.169.254/latest' })
  expect([page.status, page.document.querySelector('#url-error')?.text]).toEqual([
    400,
    'Invalid URL: the address is private or reserved',
  ])
})

test('the alert of a threshold that is already reached is sent when the webhook is saved, and listed', async () => {
  const browser = await service.signedIn(JO)
  await browser.get('/keys')
  const key = newKeyIn(await browser.send('/keys', { name: 'k' }))!
  for (let n = 0; n < 4; n++) expect((await service.app.metadata(key, '/page')).status).toBe(200)
  await browser.send('/account/alerts', { url: `${service.app.origin}/reached` })
  await service.app.logged({ msg: 'alert delivered', threshold: 80 })
  const [message] = received.get('/reached')!
  expect(JSON.parse(message!.body)).toMatchObject({
    type: 'usage.threshold_reached',
    data: { threshold_percent: 80, used: 4, limit: 5 },
  })
  const page = await browser.get('/account')
  expect(page.document.querySelector('[data-label="Alert"]')?.text).toBe('80%: 4 of 5 requests')
  expect(page.document.querySelector('[data-label="Delivery"]')?.text).toContain('Delivered')
  const exported = (await (await browser.request(`${service.base}/account/export`)).json()) as object
  expect(exported).toMatchObject({ usage_alerts: { alerts: [{ threshold_percent: 80, error: null }] } })
  expect(JSON.stringify(exported)).not.toContain('whsec_')
})
