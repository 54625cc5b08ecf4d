import { expect, test } from 'bun:test'

import { createIncomingBodies } from '../../../src/http/server/incoming-bodies.ts'

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
