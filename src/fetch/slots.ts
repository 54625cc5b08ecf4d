import { untilAborted } from './abort.ts'

/** Bounds on work at the same time: in all, and for one key. */
export interface Slots {
  /**
   * Waits for its turn, first come first served; disposing gives the slot back.
   * @throws the signal's reason
   */
  take(key: string, signal: AbortSignal): Promise<Disposable>
}

export interface SlotLimits {
  total: number
  perKey: number
}

/** A counter with a queue. */
interface Gate {
  busy: number
  waiting: (() => void)[]
}

export function createSlots({ total, perKey }: SlotLimits): Slots {
  const all: Gate = { busy: 0, waiting: [] }
  const byKey = new Map<string, Gate>()

  return {
    async take(key, signal) {
      const gate = byKey.get(key) ?? { busy: 0, waiting: [] }
      byKey.set(key, gate)
      const forgetIdleKey = () => gate.busy === 0 && byKey.delete(key)
      // The key comes first: those who queue for one slow host must not sit in the slots of all others.
      await enter(gate, perKey, signal).catch((reason) => {
        forgetIdleKey()
        throw reason
      })
      const leaveKey = () => {
        leave(gate)
        forgetIdleKey()
      }
      await enter(all, total, signal).catch((reason) => {
        leaveKey()
        throw reason
      })
      return {
        [Symbol.dispose]() {
          leave(all)
          leaveKey()
        },
      }
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
