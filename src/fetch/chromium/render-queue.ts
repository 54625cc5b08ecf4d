import { FetchError } from '../../core/errors.ts'
import { MIN_HEADLESS_MS } from '../../core/method.ts'
import type { Budget } from '../../core/ports.ts'
import { createSlots } from '../slots.ts'
import { deadlineOf } from './deadline.ts'

/** Who is next to have a page rendered. */
export interface RenderQueue {
  /** A slot, to be disposed; or why there is none: too many wait for one already, or it did not come in time. */
  take(budget: Budget): Promise<Disposable | 'busy' | 'out_of_time'>
}

/** Turns for `concurrency` pages at a time, shared between users as all slots are. */
export function createRenderQueue(concurrency: number): RenderQueue {
  const slots = createSlots({ total: concurrency })
  return {
    async take(budget) {
      using deadline = deadlineOf(budget, MIN_HEADLESS_MS)
      try {
        return await slots.take({ user: budget.userId, shares: [] }, deadline.signal)
      } catch (error) {
        return error instanceof FetchError && error.failure === 'overloaded' ? 'busy' : 'out_of_time'
      }
    },
  }
}
