import { afterAll, beforeEach, describe, expect, test } from 'bun:test'

import type { EgressProxy } from '../../src/core/net/egress-proxy.ts'
import { createWebhookSender } from '../../src/fetch/webhooks.ts'
import { networkOptionsFor } from './network-options.ts'

/** Requests that the receiver got, and their source ports. */
const received: { method: string; path: string; headers: Headers; body: string; port: number }[] = []

const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request, server) {
    const { pathname: path } = new URL(request.url)
    const { method, headers } = request
    received.push({ method, path, headers, body: await request.text(), port: server.requestIP(request)!.port })
    if (path === '/moved') return new Response(null, { status: 308, headers: { location: '/' } })
    return new Response('ok', { status: Number(path.slice(1)) || 200 })
  },
})
afterAll(() => receiver.stop(true))
beforeEach(() => void (received.length = 0))

const senderFor = (allowed: string[]) => createWebhookSender(networkOptionsFor(allowed))

const urlOf = (path: string) => new URL(path, receiver.url)
const ALLOWED = [`127.0.0.1:${receiver.port}`]

describe('a webhook', () => {
  test('is a POST with the body, its length and the given headers', async () => {
    using sender = senderFor(ALLOWED)
    await sender.send(urlOf('/'), { 'Content-Type': 'application/json' }, '{"a":"ü"}')
    expect(received).toMatchObject([{ method: 'POST', path: '/', body: '{"a":"ü"}' }])
    const [{ headers }] = received as [(typeof received)[number]]
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('content-length')).toBe('10')
    expect(headers.get('user-agent')).toBe('urlmeta-test')
    expect(headers.has('cookie')).toBe(false)
  })

  test('is sent without the rules for its host, such as a proxy, which are meant for requests for pages', async () => {
    const egressProxy: EgressProxy = { protocol: 'http', host: '127.0.0.1', port: 1, credentials: null }
    using sender = createWebhookSender(networkOptionsFor(ALLOWED, [{ hosts: ['127.0.0.1'], egressProxy }]))
    await sender.send(urlOf('/'), {}, '{}')
    expect(received).toHaveLength(1)
  })

  test.each([
    ['/201', null],
    ['/204', null],
    ['/404', 'HTTP 404'],
    ['/500', 'HTTP 500'],
    ['/moved', 'HTTP 308'],
  ])('a response from %s is %p', async (path, reason) => {
    using sender = senderFor(ALLOWED)
    const sent = sender.send(urlOf(path), {}, '{}').then(
      () => null,
      (error: { reason: string }) => error.reason,
    )
    expect(await sent).toBe(reason)
    expect(received).toHaveLength(1)
  })

  test('does not wait for receivers that do not respond', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let held = 0
    const slow = Array.from({ length: 10 }, () =>
      Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: async () => (held++, await released, new Response('ok')) }),
    )
    using sender = senderFor([...ALLOWED, ...slow.map(({ port }) => `127.0.0.1:${port}`)])
    const sent = slow.map(({ url }) => sender.send(url, {}, '{}'))
    while (held < slow.length) await Bun.sleep(1)
    await sender.send(urlOf('/'), {}, '{}')
    expect(received).toHaveLength(1)
    release()
    await Promise.all(sent)
    await Promise.all(slow.map((server) => server.stop(true)))
  })

  test('is never sent over a connection that was used before', async () => {
    using sender = senderFor(ALLOWED)
    for (let n = 0; n < 3; n++) await sender.send(urlOf('/'), {}, '{}')
    expect(new Set(received.map(({ port }) => port)).size).toBe(3)
  })

  test('to a private address is refused before it is sent', async () => {
    using sender = senderFor([])
    await expect(sender.send(urlOf('/'), {}, '{}')).rejects.toMatchObject({ failure: 'address_not_allowed' })
    expect(received).toEqual([])
  })

  test('is aborted when the sender is closed', async () => {
    const sender = senderFor(ALLOWED)
    sender[Symbol.dispose]()
    await expect(sender.send(urlOf('/'), {}, '{}')).rejects.toThrow('the webhook sender is closed')
    expect(received).toEqual([])
  })
})
