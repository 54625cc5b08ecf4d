import { expect, test } from 'bun:test'

import { createIncomingBodies, MAX_INCOMING_BODIES } from '../../../src/http/server/incoming-bodies.ts'

const request = (body: ReadableStream) => new Request('http://localhost/', { method: 'POST', body })

test('a body counts while it is received', async () => {
  const bodies = createIncomingBodies()
  const { readable, writable } = new TransformStream()
  const [text, other] = [bodies.textOf(request(readable)), bodies.textOf(request(new Blob(['b=1']).stream()))]
  expect(bodies.count()).toBe(2)
  expect(await other).toBe('b=1')
  expect(bodies.count()).toBe(1)
  const writer = writable.getWriter()
  await writer.write(new TextEncoder().encode('a='))
  expect(bodies.count()).toBe(1)
  await writer.write(new TextEncoder().encode('1'))
  await writer.close()
  expect(await text).toBe('a=1')
  expect(bodies.count()).toBe(0)
})

test('a body that is interrupted is an invalid request, and does not count any more', async () => {
  const bodies = createIncomingBodies()
  const body = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) })
  await expect(bodies.textOf(request(body))).rejects.toMatchObject({ kind: 'invalid_request' })
  expect(bodies.count()).toBe(0)
})

test('the body that has been arriving for longest makes room for a new one', async () => {
  const bodies = createIncomingBodies()
  const streams = Array.from({ length: MAX_INCOMING_BODIES }, () => new TransformStream<Uint8Array>())
  const [oldest, ...others] = streams.map(({ readable }) => bodies.textOf(request(readable)))
  expect(bodies.count()).toBe(MAX_INCOMING_BODIES)
  expect(await bodies.textOf(request(new Blob(['b=1']).stream()))).toBe('b=1')
  await expect(oldest!).rejects.toMatchObject({ kind: 'invalid_request' })
  for (const { writable } of streams.slice(1)) await writable.close()
  expect(await Promise.all(others)).toEqual(others.map(() => ''))
  expect(bodies.count()).toBe(0)
})
