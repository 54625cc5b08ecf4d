import { untilAborted } from './abort.ts'

/** A bound that several pieces of work share by its key: those of one host, of one caller. */
export interface Share {
  key: string
  limit: number
}

/** Bounds on work at the same time: in all, and for each share it belongs to. */
export interface Slots {
  /**
   * Waits for its turn in each share, in their order, and then among all; first come first served. Disposing gives the
   * slot back.
   * @throws the signal's reason
   */
  take(shares: readonly Share[], signal: AbortSignal): Promise<Disposable>
}

/** A counter with a queue. */
interface Gate {
  busy: number
  waiting: (() => void)[]
}

export function createSlots({ total }: { total: number }): Slots {
  const all: Gate = { busy: 0, waiting: [] }
  const byKey = new Map<string, Gate>()

  async function enterShare({ key, limit }: Share, signal: AbortSignal): Promise<Disposable> {
    const gate = byKey.get(key) ?? { busy: 0, waiting: [] }
    byKey.set(key, gate)
    const forgetIdle = () => gate.busy === 0 && byKey.delete(key)
    await enter(gate, limit, signal).catch((reason) => {
      forgetIdle()
      throw reason
    })
    return {
      [Symbol.dispose]() {
        leave(gate)
        forgetIdle()
      },
    }
  }

  return {
    async take(shares, signal) {
      using stack = new DisposableStack()
      // The shares come first: those who queue for one slow host must not sit in the slots of all others.
      for (const share of shares) stack.use(await enterShare(share, signal))
      await enter(all, total, signal)
      stack.defer(() => leave(all))
      return stack.move()
    },
  }
}

async function enter(gate: Gate, limit: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (gate.busy < limit) {
    gate.busy++
    return
  }
  const turn = Promise.withResolvers<void>()
  gate.waiting.push(turn.resolve)
  try {
    await untilAborted(turn.promise, signal)
  } catch (reason) {
    const at = gate.waiting.indexOf(turn.resolve)
    // Gone from the queue already: the slot was handed over in the same moment and must be passed on.
    if (at < 0) leave(gate)
    else gate.waiting.splice(at, 1)
    throw reason
  }
}

/** Hands the slot to the next in the queue, or frees it. */
function leave(gate: Gate): void {
  const next = gate.waiting.shift()
  if (next === undefined) gate.busy--
  else next()
}
