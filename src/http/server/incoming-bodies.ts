import { AppError } from '../../core/errors.ts'
import { memoized } from '../../core/memoized.ts'

/** Bodies that are received at the same time: 64 MB, because Bun keeps up to 256 KB of each in memory. */
export const MAX_INCOMING_BODIES = 256

/** Request bodies that are still being received. A client that never finishes sending must not delay shutdown. */
export type IncomingBodies = ReturnType<typeof createIncomingBodies>

export function createIncomingBodies() {
  /** Functions that end the requests, the oldest first. */
  const receiving = new Set<() => void>()
  return {
    /** The text of a body, which counts until it has been received. @throws AppError if it does not arrive as a whole */
    textOf: memoized(async (request: Request): Promise<string> => {
      const { promise, reject: end } = Promise.withResolvers<never>()
      receiving.add(end)
      const [endOldest] = receiving
      // A body that is sent without breaks arrives within milliseconds.
      if (receiving.size > MAX_INCOMING_BODIES) endOldest!()
      try {
        return await Promise.race([request.text(), promise])
      } catch (cause) {
        throw new AppError('invalid_request', 'Invalid request body', { cause })
      } finally {
        receiving.delete(end)
      }
    }),
    count: () => receiving.size,
  }
}
