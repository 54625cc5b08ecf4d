/**
 * In each turn of the event loop, no step starts after this many milliseconds. All other requests wait until the turn
 * ends: without a limit, eight pages of 2 MB of tags that arrived together blocked other requests for 268 ms.
 */
const MAX_TURN_MS = 8

/**
 * After work that took longer than this, no other work is finished in the same turn. Ordinary pages take a tenth of
 * this time. Finishing each of them in its own turn would mean one database transaction per page instead of one for
 * several pages.
 */
const LONG_MS = 4

/** Does the next part of a piece of work; each part takes about a millisecond. Returns whether there is more to do. */
export type Step = () => boolean

interface Work {
  step: Step
  spentMs: number
}

/** Spreads work over several turns of the event loop, so that other requests are served in between. */
export class TurnBudget {
  #spentMs = 0
  #isTurnEndAwaited = false
  readonly #waiting: Work[] = []

  constructor(private readonly now: () => number) {}

  /** Repeats a step until it returns false. Continues in later turns when the budget of the current turn is spent. */
  repeat(step: Step): void {
    const work = { step, spentMs: 0 }
    while (!this.#isSpent) if (!this.#run(work)) return
    this.#waiting.push(work)
  }

  /** Resolves in a later turn; no other work is finished after it in that turn. */
  alone(): Promise<void> {
    return new Promise((resolve) => {
      const step = () => {
        resolve()
        return false
      }
      this.#waiting.push({ step, spentMs: Infinity })
      this.#awaitTurnEnd()
    })
  }

  get #isSpent(): boolean {
    return this.#spentMs >= MAX_TURN_MS
  }

  #run(work: Work): boolean {
    const startedAt = this.now()
    const isUnfinished = work.step()
    const tookMs = this.now() - startedAt
    this.#spentMs += tookMs
    work.spentMs += tookMs
    // Processing the result may take as long as producing it.
    if (!isUnfinished && work.spentMs > LONG_MS) this.#spentMs = MAX_TURN_MS
    this.#awaitTurnEnd()
    return isUnfinished
  }

  #awaitTurnEnd(): void {
    if (this.#isTurnEndAwaited) return
    this.#isTurnEndAwaited = true
    setImmediate(() => this.#startTurn())
  }

  /** Runs the waiting work in rotation until the budget is spent. */
  #startTurn(): void {
    this.#isTurnEndAwaited = false
    this.#spentMs = 0
    while (!this.#isSpent) {
      const work = this.#waiting.shift()
      if (work === undefined) return
      if (this.#run(work)) this.#waiting.push(work)
    }
  }
}

/** The budget of this process: all pages share one event loop. */
export const turnBudget = new TurnBudget(() => performance.now())
