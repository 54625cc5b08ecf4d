import type { Image } from '../../core/fetch/ports.ts'

/** Third-party content on this origin: browsers must treat it only as an image, even when opened directly. */
export const IMAGE_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': 'inline; filename="preview"',
  'x-content-type-options': 'nosniff',
}

/** The maximum size of all images that wait for slow clients. An image has up to 5 MB. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024

/** Each chunk is copied into the socket once the client has read the previous one. */
const CHUNK_BYTES = 64 * 1024

/** A client that takes longer is disconnected: 5 MB at 85 KB per second. */
const SEND_DEADLINE_MS = 60_000

/** An image that a client has not read to its end. */
interface Unsent {
  /** The network of the client. */
  network: string
  bytes: number
  sent: number
  /** Disconnects the client. */
  end: () => void
}

/** Sends images in chunks, and bounds unsent bytes: Bun keeps a body in memory until the client has read it. */
export function createImageSender() {
  const unsent = new Set<Unsent>()
  let total = 0

  /**
   * Disconnects the slowest clients of the network with the most unsent bytes; false if `network` would have the most.
   */
  function makeRoom(network: string, bytes: number): boolean {
    if (total + bytes <= MAX_UNSENT_BYTES) return true
    const byNetwork = Map.groupBy(unsent, (image) => image.network)
    const most = [...byNetwork.values()].reduce((a, b) => (bytesOf(b) > bytesOf(a) ? b : a))
    // Otherwise `most` can free enough, because it has more bytes than the new image.
    if (bytesOf(most) <= bytesOf(byNetwork.get(network) ?? []) + bytes) return false
    for (const { end } of most.toSorted((a, b) => a.sent - b.sent)) if (total + bytes > MAX_UNSENT_BYTES) end()
    return true
  }

  function bodyOf(network: string, bytes: Image['bytes']): ReadableStream<Uint8Array> | null {
    if (!makeRoom(network, bytes.length)) return null
    const image: Unsent = { network, bytes: bytes.length, sent: 0, end: () => {} }
    unsent.add(image)
    total += image.bytes
    let timer: NodeJS.Timeout
    const end = () => {
      clearTimeout(timer)
      if (unsent.delete(image)) total -= image.bytes
    }
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          image.end = () => {
            end()
            controller.error(new Error('the client is too slow'))
          }
          timer = setTimeout(image.end, SEND_DEADLINE_MS).unref()
        },
        pull(controller) {
          controller.enqueue(bytes.subarray(image.sent, (image.sent += CHUNK_BYTES)))
          if (image.sent < bytes.length) return
          end()
          controller.close()
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    )
  }

  /** The response with an image; null if clients of `network` leave too many images unread. */
  return (request: Request, network: string, image: Image, headers: Record<string, string>): Response | null => {
    // A response to HEAD only gets the length, which caches compare with the length of the image they have.
    const body = request.method === 'HEAD' ? image.bytes : bodyOf(network, image.bytes)
    return body && new Response(body, { headers: { ...IMAGE_HEADERS, 'content-type': image.mimeType, ...headers } })
  }
}

const bytesOf = (images: readonly Unsent[]): number => images.reduce((sum, { bytes }) => sum + bytes, 0)
