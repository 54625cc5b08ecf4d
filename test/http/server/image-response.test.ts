import { expect, test } from 'bun:test'

import { createImageSender } from '../../../src/http/server/image-response.ts'

const image = (megabytes: number) => ({ mimeType: 'image/png', bytes: new Uint8Array(megabytes * 1024 * 1024).fill(7) })

/** Sends an image; null if it is refused. */
function openSender() {
  const send = createImageSender()
  return (userId: string, sent: ReturnType<typeof image>) =>
    send(new Request('http://localhost/'), userId, sent, {})?.body ?? null
}

test('an image arrives whole', async () => {
  const send = openSender()
  const { bytes } = image(1)
  const body = send('jo', { mimeType: 'image/png', bytes: bytes.subarray(0, 70_000) })
  expect(await new Response(body).bytes()).toEqual(bytes.slice(0, 70_000))
})

test('an image of whole chunks has no empty one', async () => {
  const chunks = await Array.fromAsync(openSender()('jo', image(1))!)
  expect(chunks.map(({ length }) => length)).toEqual(Array(16).fill(65_536))
})

test('images that slow clients have not read are bounded, for each user and in all', async () => {
  const send = openSender()
  const bodies = Array.from({ length: 6 }, () => send('jo', image(5))!)
  expect(bodies).not.toContain(null)
  expect(send('jo', image(5))).toBeNull()
  expect(send('jo', image(2))).not.toBeNull()
  for (let n = 0; n < 6; n++) expect(send('ann', image(5))).not.toBeNull()
  expect(send('sam', image(3))).toBeNull()
  expect(send('sam', image(2))).not.toBeNull()
  // A client that has read its image, and one that has disconnected.
  await new Response(bodies[0]).bytes()
  await bodies[1]!.cancel()
  expect(send('jo', image(5))).not.toBeNull()
  expect(send('jo', image(5))).not.toBeNull()
  expect(send('jo', image(1))).toBeNull()
})
