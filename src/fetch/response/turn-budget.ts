import { addTo } from '../../core/tally.ts'

/**
 * In each turn of the event loop, no step starts after this many milliseconds. All other requests wait until the turn
 * ends: without a limit, eight pages of 2 MB of tags that arrived together blocked other requests for 268 ms.
 */
const MAX_TURN_MS = 8

/** The same while several users have requests: a request needs about five turns, each after a step of another user. */
const MAX_SHARED_TURN_MS = 1

/**
 * After work that took longer than this, no other work is finished in the same turn. Ordinary pages take a tenth of
 * this time. Finishing each of them in its own turn would mean one database transaction per page instead of one for
 * several pages.
 */
const LONG_MS = 4

/** Does the next part of a piece of work; each part takes about a millisecond. Returns whether there is more to do. */
export type Step = () => boolean

/** The user for whom work is done; null for work without a user. */
type User = string | null

interface Work {
  step: Step
  spentMs: number
}

/**
 * Spreads work over several turns of the event loop, so that other requests are served in between. Users take turns:
 * the next step of a user waits for at most one step of each other user, regardless of how many pages they have.
 */
export class TurnBudget {
  #spentMs = 0
  #isTurnEndAwaited = false
  /** The waiting work of each user. The first user has the next turn. */
  readonly #waiting = new Map<User, Work[]>()
  /** The number of requests in progress, by user. */
  readonly #requests = new Map<User, number>()

  constructor(private readonly now: () => number) {}

  /** Repeats a step until it returns false. Continues in later turns when the budget of the current turn is spent. */
  repeat(step: Step, user: User): void {
    const work = { step, spentMs: 0 }
    while (!this.#isSpent) if (!this.#run(work)) return
    this.#wait(work, user)
  }

  /** Resolves in a later turn; no other work is finished after it in that turn. */
  alone(user: User): Promise<void> {
    return new Promise((resolve) => {
      const step = () => {
        resolve()
        return false
      }
      this.#wait({ step, spentMs: Infinity }, user)
      this.#awaitTurnEnd()
    })
  }

  #wait(work: Work, user: User): void {
    this.#waiting.getOrInsertComputed(user, () => []).push(work)
  }

  /** Counts a request until it is disposed. */
  enter(user: User): Disposable {
    addTo(this.#requests, user, 1)
    return { [Symbol.dispose]: () => void addTo(this.#requests, user, -1) }
  }

  get #isSpent(): boolean {
    return this.#spentMs >= (this.#requests.size > 1 ? MAX_SHARED_TURN_MS : MAX_TURN_MS)
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

  /** Runs one step of each user in rotation until the budget is spent. */
  #startTurn(): void {
    this.#isTurnEndAwaited = false
    this.#spentMs = 0
    while (!this.#isSpent) {
      const [next] = this.#waiting
      if (next === undefined) return
      const [user, works] = next
      this.#waiting.delete(user)
      const work = works.shift()!
      if (this.#run(work)) works.push(work)
      if (works.length > 0) this.#waiting.set(user, works)
    }
  }
}

/** The budget of this process: all pages share one event loop. */
export const turnBudget = new TurnBudget(() => performance.now())
