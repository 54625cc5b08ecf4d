import type { Image } from '../../core/fetch/ports.ts'

/** Third-party content on this origin: browsers must treat it only as an image, even when opened directly. */
export const IMAGE_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': 'inline; filename="preview"',
  'x-content-type-options': 'nosniff',
}

/** The bytes of images that wait for slow clients, of all users and of one. An image has up to 5 MB. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024
const MAX_UNSENT_BYTES_OF_USER = MAX_UNSENT_BYTES / 2

/** Each is copied into the socket once the client has read the one before. */
const CHUNK_BYTES = 64 * 1024

/** A client that takes longer is disconnected: 5 MB at 85 KB per second. */
const SEND_DEADLINE_MS = 60_000

/** Sends images in chunks, and bounds unsent bytes: Bun keeps a body in memory until the client has read it. */
export function createImageSender() {
  const unsentOf = new Map<string, number>()
  let unsent = 0

  function count(userId: string, bytes: number) {
    unsent += bytes
    const ofUser = (unsentOf.get(userId) ?? 0) + bytes
    if (ofUser > 0) unsentOf.set(userId, ofUser)
    else unsentOf.delete(userId)
  }

  function bodyOf(userId: string, bytes: Image['bytes']): ReadableStream<Uint8Array> | null {
    const isFull = unsent + bytes.length > MAX_UNSENT_BYTES
    if (isFull || (unsentOf.get(userId) ?? 0) + bytes.length > MAX_UNSENT_BYTES_OF_USER) return null
    count(userId, bytes.length)
    let sent = 0
    let timer: NodeJS.Timeout
    const end = () => {
      clearTimeout(timer)
      count(userId, -bytes.length)
    }
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          timer = setTimeout(() => {
            end()
            controller.error(new Error('the client is too slow'))
          }, SEND_DEADLINE_MS).unref()
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

  /** The response with an image, on account of a user; null if slow clients have not read too many images yet. */
  return (request: Request, userId: string, image: Image, headers: Record<string, string>): Response | null => {
    // The response to HEAD only gets its length, which caches compare with that of the image they have.
    const body = request.method === 'HEAD' ? image.bytes : bodyOf(userId, image.bytes)
    return body && new Response(body, { headers: { ...IMAGE_HEADERS, 'content-type': image.mimeType, ...headers } })
  }
}
