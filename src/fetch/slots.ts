import { FetchError } from '../core/errors.ts'
import { untilAborted } from './abort.ts'

/** A limit that pieces of work share by its key: those of one host, of one address. */
export interface Share {
  key: string
  limit: number
}

/** What a piece of work needs a slot for. */
export interface Claim {
  /** Whose work it is; null where nobody shares. */
  user: string | null
  /** The limits it falls under besides the total. */
  shares: readonly Share[]
}

/**
 * Bounds work at the same time and hands free slots out fairly. No slot stays idle while somebody may take it: one user
 * alone has all of them. Otherwise a free slot goes to the waiting user with the fewest running, and within a user to the
 * one who came first. Above each limit there are a few reserve slots that only users with nothing running under it may
 * take, so that a user who comes new waits for nobody's slow work.
 */
export interface Slots {
  /**
   * Waits for a slot; disposing gives it back.
   * @throws FetchError `overloaded` when too many wait already; the signal's reason
   */
  take(claim: Claim, signal: AbortSignal): Promise<Disposable>
}

/** Enough for a second, third and fourth user to come new at the same time under a large limit; one under a small one. */
const SLOTS_PER_RESERVE_SLOT = 16

/** What waits behind more than this many others for each slot has no chance within any deadline. */
const MAX_WAITING_PER_SLOT = 16

interface Limit {
  readonly max: number
  running: number
  readonly runningOf: Map<string | null, number>
  /** What runs or waits under it; a limit without claims is forgotten. */
  claims: number
}

interface Ticket {
  readonly user: string | null
  readonly limits: readonly Limit[]
  isRunning: boolean
  readonly grant: () => void
  readonly refuse: (reason: Error) => void
}

export function createSlots({ total }: { total: number }): Slots {
  const all = limitOf(total)
  const byKey = new Map<string, Limit>()
  /** In the order they came. None of them can start now: whoever gives a slot back starts those that then can. */
  const queue: Ticket[] = []
  const maxWaiting = total * MAX_WAITING_PER_SLOT

  function claim({ key, limit }: Share): Limit {
    const claimed = byKey.get(key) ?? limitOf(limit)
    byKey.set(key, claimed)
    claimed.claims++
    return claimed
  }

  function unclaim({ key }: Share): void {
    const claimed = byKey.get(key)!
    if (--claimed.claims === 0) byKey.delete(key)
  }

  /** Starts the ticket of the user who has the fewest running, the earliest if there are several; false if none can. */
  function startNext(): boolean {
    let next: Ticket | undefined
    let fewest = Infinity
    for (const ticket of queue) {
      const running = all.runningOf.get(ticket.user) ?? 0
      if (running >= fewest || !canStart(ticket)) continue
      next = ticket
      fewest = running
    }
    if (next === undefined) return false
    remove(next)
    start(next)
    next.grant()
    return true
  }

  /** A full queue refuses the last ticket of the user who has the most in it, so that no user fills it for others. */
  function makeRoomFor(newcomer: string | null): void {
    if (queue.length < maxWaiting) return
    const ticketsOf = Map.groupBy(queue, ({ user }) => user)
    const most = [...ticketsOf.values()].reduce((a, b) => (b.length > a.length ? b : a))
    if (most.length <= (ticketsOf.get(newcomer)?.length ?? 0) + 1) throw overloaded()
    const last = most.at(-1)!
    remove(last)
    last.refuse(overloaded())
  }

  function remove(ticket: Ticket): void {
    const at = queue.indexOf(ticket)
    if (at >= 0) queue.splice(at, 1)
  }

  function leave(ticket: Ticket): void {
    remove(ticket)
    if (!ticket.isRunning) return
    end(ticket)
    while (startNext());
  }

  return {
    async take({ user, shares }, signal) {
      signal.throwIfAborted()
      using stack = new DisposableStack()
      const limits = [all, ...shares.map(claim)]
      stack.defer(() => shares.forEach(unclaim))
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const ticket: Ticket = { user, limits, isRunning: false, grant: resolve, refuse: reject }
      stack.defer(() => leave(ticket))
      if (canStart(ticket)) start(ticket)
      else {
        makeRoomFor(user)
        queue.push(ticket)
        // A slot that is granted in the moment of giving up goes to the next, as leaving gives it back.
        await untilAborted(promise, signal)
      }
      return stack.move()
    },
  }
}

function limitOf(max: number): Limit {
  return { max, running: 0, runningOf: new Map(), claims: 0 }
}

function canStart({ user, limits }: Ticket): boolean {
  return limits.every(({ max, running, runningOf }) => running < (runningOf.has(user) ? max : max + reserveOf(max)))
}

function reserveOf(max: number): number {
  return Math.max(1, Math.floor(max / SLOTS_PER_RESERVE_SLOT))
}

function start(ticket: Ticket): void {
  const { user, limits } = ticket
  ticket.isRunning = true
  for (const limit of limits) {
    limit.running++
    limit.runningOf.set(user, (limit.runningOf.get(user) ?? 0) + 1)
  }
}

function end({ user, limits }: Ticket): void {
  for (const limit of limits) {
    limit.running--
    const left = limit.runningOf.get(user)! - 1
    if (left === 0) limit.runningOf.delete(user)
    else limit.runningOf.set(user, left)
  }
}

function overloaded(): FetchError {
  return new FetchError('overloaded', 'too many requests are waiting')
}
