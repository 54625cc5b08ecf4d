import { expect, test } from 'bun:test'

import type { Renderer } from '../../../src/core/fetch/ports.ts'
import { createFetchSlots } from '../../../src/fetch/fetcher.ts'
import { startThread, type ThreadEnd } from '../../../src/fetch/pool/thread.ts'
import { budgetOf } from '../budget.ts'

function startWorker(
  { href: entry }: URL,
  renderer: Renderer | null = null,
  onEnd: (end: ThreadEnd) => void = () => {},
) {
  const slots = createFetchSlots(4)
  const thread = startThread({ entry, settings: () => ({}), slots, renderer, history: null, ownPorts: () => [] }, onEnd)
  return { slots, thread }
}

test('a slot that is granted to a request that was just aborted is released', async () => {
  const worker = startWorker(new URL('./aborting-worker.ts', import.meta.url))
  using thread = worker.thread
  await thread.started
  using budget = budgetOf()
  for (let n = 0; n < 3; n++) await thread.read(new URL('http://site.test/'), budget, { hops: [] }, false)
  expect(worker.slots.pages.load()).toEqual({ active: 0, waiting: 0, limit: 4 })
})

test.each([
  ['extracting the plain response', '/extract'],
  ['extracting the rendered page', '/extract-rendered'],
  ['describing the result', '/describe'],
])('a page that ends its worker while %s is blamed, although another one was processed before', async (_, path) => {
  const ended = Promise.withResolvers<ThreadEnd>()
  const other = Promise.withResolvers<void>()
  const renderer: Renderer = {
    async render(url) {
      await other.promise
      const page = { url, status: 200, kind: 'html', bytes: new Uint8Array(), isCut: false } as const
      const report = { durationMs: 0, requests: 0, bytes: 0, hosts: 0, refused: [] }
      return { page: { ...page, charset: { encoding: 'utf-8', from: 'fallback' } }, report }
    },
  }
  using thread = startWorker(new URL('./exiting-worker.ts', import.meta.url), renderer, ended.resolve).thread
  await thread.started
  using budget = budgetOf()
  const read = (url: string) => thread.read(new URL(url), budget, { hops: [] }, false)
  const failure = read(`http://ends.test${path}`).catch((error: unknown) => error)
  // The worker may exit before it has sent the result.
  void read('http://other.test/').then(() => other.resolve(), other.resolve)
  expect(await failure).toMatchObject({ failure: 'not_processed' })
  expect(await ended.promise).toMatchObject({ reason: 'crashed', host: 'ends.test' })
})
