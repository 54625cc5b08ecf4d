import { AppError } from '../../core/errors.ts'
import { memoized } from '../../core/memoized.ts'

/** The maximum number of bodies received at the same time. Bun keeps up to 256 KB of each in memory: 64 MB in total. */
export const MAX_INCOMING_BODIES = 256

/** Request bodies that are still being received. A client that never finishes sending must not delay shutdown. */
export type IncomingBodies = ReturnType<typeof createIncomingBodies>

export function createIncomingBodies() {
  /** Functions that end the requests, the oldest first. */
  const receiving = new Set<() => void>()
  return {
    /**
     * The text of a body. The body counts as incoming until it has been received.
     * @throws AppError `invalid_request` if the body does not arrive as a whole
     */
    textOf: memoized(async (request: Request): Promise<string> => {
      const { promise, reject: end } = Promise.withResolvers<never>()
      receiving.add(end)
      const [endOldest] = receiving
      // A body that is sent without pauses arrives within milliseconds, so the oldest one is from a slow client.
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
