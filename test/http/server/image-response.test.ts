import { expect, test } from 'bun:test'

import { createImageSender } from '../../../src/http/server/image-response.ts'

const image = (megabytes: number) => ({ mimeType: 'image/png', bytes: new Uint8Array(megabytes * 1024 * 1024).fill(7) })

/** Sends an image; null if it is refused. */
function openSender() {
  const send = createImageSender()
  return (network: string, sent: ReturnType<typeof image>) =>
    send(new Request('http://localhost/'), network, sent, {})?.body ?? null
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

test('images that slow clients have not read are bounded; the network with the most makes room', async () => {
  const send = openSender()
  const bodies = Array.from({ length: 12 }, () => send('203.0.113.1', image(5))!)
  expect(bodies).not.toContain(null)
  // 60 of 64 MB: its own next image is refused, and does not end an earlier one.
  expect(send('203.0.113.1', image(5))).toBeNull()
  const other = send('198.51.100.1', image(5))!
  expect(other).not.toBeNull()
  await expect(new Response(bodies[0]).bytes()).rejects.toThrow('the client is too slow')
  expect((await new Response(bodies[1]).bytes()).length).toBe(5 * 1024 * 1024)
  expect((await new Response(other).bytes()).length).toBe(5 * 1024 * 1024)
  // One more client has disconnected.
  await bodies[2]!.cancel()
  for (let n = 0; n < 3; n++) expect(send('203.0.113.1', image(5))).not.toBeNull()
  expect(send('203.0.113.1', image(5))).toBeNull()
  // Six networks with the same share: the last of them cannot displace the others.
  const equal = openSender()
  for (let n = 0; n < 6; n++) for (let i = 0; i < 2; i++) expect(equal(`203.0.113.${n}`, image(5))).not.toBeNull()
  expect(equal('198.51.100.1', image(5))).not.toBeNull()
  expect(equal('198.51.100.1', image(5))).toBeNull()
})
