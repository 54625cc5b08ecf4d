/**
 * The maximum time for pages in one turn of the event loop, in milliseconds. A turn with more work delays all other
 * requests: eight pages of 2 MB of tags that arrived at the same time took 260 ms.
 */
const MAX_TURN_MS = 8

/**
 * Work that took longer in a turn is the last that ends in it. Ordinary pages take a tenth of this; if they ended in
 * separate turns, each would have a transaction of its own.
 */
const LONG_MS = 4

/** A part of some work, about a millisecond long. Returns whether there is more. */
export type Step = () => boolean

/** Spreads work over turns of the event loop, so that other requests are served between them. */
export class TurnBudget {
  #spentMs = 0
  #isTurnEndAwaited = false
  readonly #waiting: Step[] = []

  /** Repeats a step until it returns false: now, and in later turns when this turn's time is spent. */
  repeat(step: Step): void {
    const spentBeforeMs = this.#spentMs
    while (!this.#isSpent) {
      if (this.#run(step)) continue
      if (this.#spentMs - spentBeforeMs > LONG_MS) this.#endTurn()
      return
    }
    this.#waiting.push(step)
  }

  get #isSpent(): boolean {
    return this.#spentMs >= MAX_TURN_MS
  }

  /** Waits for a turn in which no other work ends. */
  alone(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        resolve()
        return false
      })
      this.#awaitTurnEnd()
    })
  }

  #run(step: Step): boolean {
    const startedAt = performance.now()
    const isUnfinished = step()
    this.#spentMs += performance.now() - startedAt
    this.#awaitTurnEnd()
    return isUnfinished
  }

  #awaitTurnEnd(): void {
    if (this.#isTurnEndAwaited) return
    this.#isTurnEndAwaited = true
    setImmediate(() => this.#startTurn())
  }

  /** Continues with the steps that wait, taking turns among them. */
  #startTurn(): void {
    this.#isTurnEndAwaited = false
    this.#spentMs = 0
    while (!this.#isSpent) {
      const step = this.#waiting.shift()
      if (step === undefined) return
      if (this.#run(step)) this.#waiting.push(step)
      else this.#endTurn()
    }
  }

  /** Leaves the rest of this turn to the use of a result, such as the metadata of a page, which may take as long. */
  #endTurn(): void {
    this.#spentMs = MAX_TURN_MS
  }
}

/** Shared by all pages, because they share the event loop. */
export const turnBudget = new TurnBudget()
