import { FetchError } from '../../core/errors.ts'
import { MIN_HEADLESS_MS } from '../../core/fetch/method.ts'
import type { Budget } from '../../core/fetch/ports.ts'
import { createSlots } from '../connection/slots.ts'
import { deadlineOf } from './deadline.ts'

/** Allows `concurrency` pages at a time, scheduled fairly between users. */
export function createRenderQueue(concurrency: number) {
  const slots = createSlots({ total: concurrency })
  return {
    /** Waits for a slot, released by disposing it. `busy` if the queue is full, `out_of_time` if it took too long. */
    async take(budget: Budget): Promise<Disposable | 'busy' | 'out_of_time'> {
      using deadline = deadlineOf(budget, MIN_HEADLESS_MS)
      try {
        return await slots.take({ user: budget.userId, limits: [] }, deadline.signal)
      } catch (error) {
        return error instanceof FetchError && error.failure === 'overloaded' ? 'busy' : 'out_of_time'
      }
    },
    load: slots.load,
  }
}
