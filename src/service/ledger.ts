import type { Ending, Slot, Usage } from '../core/usage-ports.ts'

/** A database that could not be written is asked again after this long. */
const RETRY_MS = 5_000

/** Endings kept for later at the most: as many as a busy service has in the minutes that a fault may last. */
const MAX_OWED = 100_000

/** Writes down how requests ended, if not at once, then as soon as it can. */
export interface Ledger extends AsyncDisposable {
  /** Never rejects: an answer must not fail because the database is locked, nor a slot be lost because of that. */
  settle(slot: Slot, ending: Ending): Promise<void>
}

export interface LedgerDeps {
  usage: Usage
  /** Unix milliseconds. */
  now: () => number
  /** An ending could not be written down yet, or, when there are too many of them, not at all. */
  onFault: (error: unknown) => void
}

export function createLedger({ usage, now, onFault }: LedgerDeps): Ledger {
  let owed: [slot: Slot, ending: Ending, atMs: number][] = []
  let timer: Timer | undefined

  async function payOwed() {
    timer = undefined
    const entries = owed
    owed = []
    for (const [i, entry] of entries.entries()) {
      try {
        await usage.settle(...entry)
      } catch (error) {
        onFault(error)
        owed = [...entries.slice(i), ...owed].slice(0, MAX_OWED)
        timer ??= setTimeout(payOwed, RETRY_MS)
        return
      }
    }
  }

  return {
    async settle(slot, ending) {
      const atMs = now()
      try {
        await usage.settle(slot, ending, atMs)
      } catch (error) {
        onFault(error)
        if (owed.length < MAX_OWED) owed.push([slot, ending, atMs])
        timer ??= setTimeout(payOwed, RETRY_MS)
      }
    },

    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await payOwed()
      clearTimeout(timer)
    },
  }
}
