/**
 * The maximum time to spend on pages in one turn of the event loop, in milliseconds. All other requests wait for the end of
 * the turn: without a limit, eight pages of 2 MB of tags that arrived together blocked them for 260 ms.
 */
const MAX_TURN_MS = 8

/**
 * After work that took longer than this, no other work is finished in the same turn. Ordinary pages take a tenth of it.
 * Finishing each of those in its own turn would mean a database transaction for each page instead of one for several.
 */
const LONG_MS = 4

/** Does the next part of some work, which takes about a millisecond. Returns whether there is more to do. */
export type Step = () => boolean

/** Spreads work over several turns of the event loop, so that other requests are served in between. */
export class TurnBudget {
  #spentMs = 0
  #isTurnEndAwaited = false
  readonly #waiting: Step[] = []

  /** Repeats a step until it returns false, in later turns if the budget of this one is spent. */
  repeat(step: Step): void {
    const spentBeforeMs = this.#spentMs
    while (!this.#isSpent) {
      if (this.#run(step)) continue
      if (this.#spentMs - spentBeforeMs > LONG_MS) this.#endTurn()
      return
    }
    this.#waiting.push(step)
  }

  /** Resolves in a turn in which no other work is finished. */
  alone(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        resolve()
        return false
      })
      this.#awaitTurnEnd()
    })
  }

  get #isSpent(): boolean {
    return this.#spentMs >= MAX_TURN_MS
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

  /** Runs the waiting steps in rotation until the budget is spent. */
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

  /** Ends the work of this turn, because processing the result may take as long as producing it. */
  #endTurn(): void {
    this.#spentMs = MAX_TURN_MS
  }
}

/** The budget of this process: all pages share one event loop. */
export const turnBudget = new TurnBudget()
