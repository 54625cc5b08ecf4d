import { AppError } from '../../core/errors.ts'
import { memoized } from '../../core/memoized.ts'

/** Request bodies that are still being received. A client that never finishes sending must not delay shutdown. */
export type IncomingBodies = ReturnType<typeof createIncomingBodies>

export function createIncomingBodies() {
  let receiving = 0
  return {
    /** The text of a body, which counts until it has been received. @throws AppError if it does not arrive as a whole */
    textOf: memoized(async (request: Request): Promise<string> => {
      receiving++
      try {
        return await request.text()
      } catch (cause) {
        throw new AppError('invalid_request', 'Invalid request body', { cause })
      } finally {
        receiving--
      }
    }),
    count: () => receiving,
  }
}
