import type { Image } from '../../core/fetch/ports.ts'

/** Third-party content on this origin: browsers must treat it only as an image, even when opened directly. */
export const IMAGE_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': 'inline; filename="preview"',
  'x-content-type-options': 'nosniff',
}

/** The bytes of images that wait for slow clients. An image has up to 5 MB. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024

/** Each is copied into the socket once the client has read the one before. */
const CHUNK_BYTES = 64 * 1024

/** A client that takes longer is disconnected: 5 MB at 85 KB per second. */
const SEND_DEADLINE_MS = 60_000

/** An image of which a client has not read all. */
interface Unsent {
  /** The network of the client. */
  network: string
  bytes: number
  /** Disconnects the client. */
  end: () => void
}

/** Sends images in chunks, and bounds unsent bytes: Bun keeps a body in memory until the client has read it. */
export function createImageSender() {
  const unsent = new Set<Unsent>()

  /** Disconnects clients of the network with the most unsent bytes; false if that is the network of the new image. */
  function makeRoom(network: string, bytes: number): boolean {
    while (bytesOf(unsent) + bytes > MAX_UNSENT_BYTES) {
      const byNetwork = Map.groupBy(unsent, (image) => image.network)
      const most = [...byNetwork.values()].reduce((a, b) => (bytesOf(b) > bytesOf(a) ? b : a))
      if (bytesOf(most) <= bytesOf(byNetwork.get(network) ?? []) + bytes) return false
      most[0]!.end()
    }
    return true
  }

  function bodyOf(network: string, bytes: Image['bytes']): ReadableStream<Uint8Array> | null {
    if (!makeRoom(network, bytes.length)) return null
    const image: Unsent = { network, bytes: bytes.length, end: () => {} }
    unsent.add(image)
    let sent = 0
    let timer: NodeJS.Timeout
    const end = () => {
      clearTimeout(timer)
      unsent.delete(image)
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
          controller.enqueue(bytes.subarray(sent, (sent += CHUNK_BYTES)))
          if (sent < bytes.length) return
          end()
          controller.close()
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    )
  }

  /** The response with an image; null if clients of the same network have not read too many images yet. */
  return (request: Request, network: string, image: Image, headers: Record<string, string>): Response | null => {
    // The response to HEAD only gets its length, which caches compare with that of the image they have.
    const body = request.method === 'HEAD' ? image.bytes : bodyOf(network, image.bytes)
    return body && new Response(body, { headers: { ...IMAGE_HEADERS, 'content-type': image.mimeType, ...headers } })
  }
}

const bytesOf = (images: Iterable<Unsent>): number => Iterator.from(images).reduce((sum, { bytes }) => sum + bytes, 0)
