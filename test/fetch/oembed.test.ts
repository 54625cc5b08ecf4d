import { expect, test } from 'bun:test'

import { MAX_OEMBED_BYTES } from '../../src/core/oembed/result.ts'
import type { Hop } from '../../src/core/fetch/trace.ts'
import { responseBytes, openRawOrigin } from '../origin/raw-origin.ts'
import { headerOf } from '../origin/site.ts'
import { budgetOf } from './budget.ts'
import { fetcherFor } from './fetcher-for.ts'

const JSON_ANSWER = responseBytes(200, { 'Content-Type': 'application/json' }, '{"title":"T"}')

test('requests JSON, with the User-Agent of the service and without cookies', async () => {
  await using origin = await openRawOrigin((socket) => socket.end(JSON_ANSWER))
  const endpoint = new URL(`http://127.0.0.1:${origin.port}/oembed?url=x`)
  await using fetcher = fetcherFor([endpoint.host])
  using budget = budgetOf()
  const hops: Hop[] = []
  const response = await fetcher.oembed(endpoint, budget, hops)
  expect('bytes' in response && Buffer.from(response.bytes).toString()).toBe('{"title":"T"}')
  const [head = ''] = origin.heads
  expect(['Accept', 'User-Agent', 'Cookie'].map((name) => headerOf(head, name))).toEqual([
    'application/json,*/*;q=0.8',
    'urlmeta-test',
    '',
  ])
  expect(hops).toMatchObject([{ by: 'oembed', status: 200 }])
})

test.each([
  ['the maximum size', MAX_OEMBED_BYTES, true],
  ['one byte more', MAX_OEMBED_BYTES + 1, false],
])('a response of %s', async (_, size, isRead) => {
  const body = 'x'.repeat(size)
  await using origin = await openRawOrigin((socket) => socket.end(responseBytes(200, {}, body)))
  const endpoint = new URL(`http://127.0.0.1:${origin.port}/`)
  await using fetcher = fetcherFor([endpoint.host])
  using budget = budgetOf()
  const response = await fetcher.oembed(endpoint, budget, [])
  expect('bytes' in response ? response.bytes.length : response.failure).toBe(isRead ? size : 'response too large')
})

test('takes one of the slots for pages', async () => {
  const held = Promise.withResolvers<void>()
  await using origin = await openRawOrigin(async (socket, head) => {
    if (head.startsWith('GET /held')) await held.promise
    socket.end(JSON_ANSWER)
  })
  const at = (path: string) => new URL(`http://127.0.0.1:${origin.port}${path}`)
  await using fetcher = fetcherFor([at('/').host], { concurrency: 1 })
  using budget = budgetOf(10_000, 'jo')
  const page = fetcher.fetch(at('/held'), budget)
  while (origin.heads.length === 0) await Bun.sleep(1)

  const pending = fetcher.oembed(at('/oembed'), budget, [])
  // Another user has a reserved slot. If the other request did not wait, it would have been sent before that response.
  using other = budgetOf(10_000, 'ann')
  expect(await fetcher.oembed(at('/other'), other, [])).toHaveProperty('bytes')
  expect(origin.heads.length).toBe(2)
  held.resolve()
  await page
  expect(await pending).toHaveProperty('bytes')
})

test('ends with the budget of the page', async () => {
  await using origin = await openRawOrigin(() => {})
  const endpoint = new URL(`http://127.0.0.1:${origin.port}/`)
  await using fetcher = fetcherFor([endpoint.host])
  const stopping = new AbortController()
  const budget = { userId: null, publicOnly: false, signal: stopping.signal, remainingMs: () => 10_000 }
  const pending = fetcher.oembed(endpoint, budget, [])
  while (origin.heads.length === 0) await Bun.sleep(1)
  stopping.abort(new Error('no request waits'))
  await expect(pending).rejects.toThrow('no request waits')
})

test('returns a failure if the fetcher is closed', async () => {
  await using origin = await openRawOrigin(() => {})
  const endpoint = new URL(`http://127.0.0.1:${origin.port}/`)
  const fetcher = fetcherFor([endpoint.host])
  using budget = budgetOf()
  const pending = fetcher.oembed(endpoint, budget, [])
  while (origin.heads.length === 0) await Bun.sleep(1)
  await fetcher[Symbol.asyncDispose]()
  expect(await pending).toEqual({ failure: 'The fetcher is closed' })
})
