import { MIN_HEADLESS_MS } from '../../core/method.ts'
import type { Budget } from '../../core/ports.ts'
import { createSlots, type Share } from '../slots.ts'
import { patienceOf } from './patience.ts'

/** Who is next to have a page rendered. */
export interface Turns {
  /** A slot, to be disposed; or why there is none: its caller waits for too many already, or it did not come in time. */
  take(budget: Budget): Promise<Disposable | 'busy' | 'out_of_time'>
}

/** A page that waits behind more than this many others for each slot has no chance within any deadline. */
const MAX_WAITING_PER_SLOT = 16

/**
 * Turns for `concurrency` pages at a time. Each caller has a queue of its own, and its length is bounded by itself: what
 * one caller asks for without end fills no other's.
 */
export function createTurns(concurrency: number): Turns {
  const slots = createSlots({ total: concurrency })
  // Where nobody shares, `null` is the only key there is.
  const waiting = new Map<string | null, number>()

  /** Half for one caller, so that a second one is served too; a single slot cannot be halved. */
  const limitOf = (caller: string | null) => (caller === null ? concurrency : Math.ceil(concurrency / 2))

  const sharesOf = (caller: string | null): Share[] =>
    caller === null ? [] : [{ key: caller, limit: limitOf(caller) }]

  function count(caller: string | null, change: 1 | -1): void {
    const counted = (waiting.get(caller) ?? 0) + change
    if (counted === 0) waiting.delete(caller)
    else waiting.set(caller, counted)
  }

  return {
    async take(budget) {
      const { caller } = budget
      if ((waiting.get(caller) ?? 0) >= MAX_WAITING_PER_SLOT * limitOf(caller)) return 'busy'
      using patience = patienceOf(budget, MIN_HEADLESS_MS)
      count(caller, 1)
      try {
        return await slots.take(sharesOf(caller), patience.signal)
      } catch {
        return 'out_of_time'
      } finally {
        count(caller, -1)
      }
    },
  }
}
