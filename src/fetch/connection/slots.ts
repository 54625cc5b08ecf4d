import { FetchError } from '../../core/errors.ts'
import type { Load } from '../../core/fetch/runtime-status.ts'
import { addTo } from '../../core/tally.ts'
import { untilAborted } from '../response/abort.ts'

/** A concurrency limit shared by all tasks with the same key, such as a host or an address. */
export interface ConcurrencyLimit {
  key: string
  limit: number
}

export interface SlotRequest {
  /** Null for tasks without a user, such as those of the command line. */
  user: string | null
  /** The limits that apply in addition to the total. */
  limits: readonly ConcurrencyLimit[]
}

/**
 * Limits concurrency and schedules users fairly. A single user can use all slots. When tasks wait, a free slot goes to
 * the user with the fewest running tasks, and to that user's earliest task. Each limit has a few additional reserve
 * slots for users with no running task under it, so that a user's first task does not wait for slow tasks of others.
 */
export interface Slots {
  /**
   * Waits for a slot. Disposing the slot releases it.
   * @throws FetchError `overloaded` when the queue is full; the signal's reason
   */
  take(request: SlotRequest, signal: AbortSignal): Promise<Disposable>
}

/** The slots of one thread, with their load. */
export type CountedSlots = ReturnType<typeof createSlots>

/** A limit has one reserve slot for this many slots, and at least one. */
const SLOTS_PER_RESERVE_SLOT = 16

/** The maximum length of the queue, per slot. Tasks further back would miss their deadlines. */
const MAX_WAITING_PER_SLOT = 16

interface LimitState {
  readonly max: number
  running: number
  readonly runningOf: Map<string | null, number>
  /** Running and waiting tasks under this limit. A limit without tasks is deleted. */
  tasks: number
}

interface Task {
  readonly user: string | null
  readonly limits: readonly LimitState[]
  isRunning: boolean
  readonly grant: () => void
  readonly refuse: (reason: Error) => void
}

export function createSlots({ total }: { total: number }) {
  const all = newLimit(total)
  const byKey = new Map<string, LimitState>()
  /** Waiting tasks in order of arrival. None of them can start until a slot is released. */
  const queue: Task[] = []
  const maxWaiting = total * MAX_WAITING_PER_SLOT

  function joinLimit({ key, limit }: ConcurrencyLimit): LimitState {
    const joined = byKey.getOrInsertComputed(key, () => newLimit(limit))
    joined.tasks++
    return joined
  }

  function leaveLimit({ key }: ConcurrencyLimit): void {
    const left = byKey.get(key)!
    if (--left.tasks === 0) byKey.delete(key)
  }

  /** Starts the earliest startable task of the user with the fewest running tasks; false if none can start. */
  function startNext(): boolean {
    let next: Task | undefined
    let fewest = Infinity
    for (const task of queue) {
      const running = all.runningOf.get(task.user) ?? 0
      if (running >= fewest || !canStart(task)) continue
      next = task
      fewest = running
    }
    if (next === undefined) return false
    remove(next)
    start(next)
    next.grant()
    return true
  }

  /**
   * When the queue is full, rejects the last task of the user with the most waiting tasks, so that one user cannot fill
   * it.
   * @throws FetchError `overloaded` if that user is `newUser`
   */
  function makeRoomFor(newUser: string | null): void {
    if (queue.length < maxWaiting) return
    const tasksOf = Map.groupBy(queue, ({ user }) => user)
    const most = [...tasksOf.values()].reduce((a, b) => (b.length > a.length ? b : a))
    if (most.length <= (tasksOf.get(newUser)?.length ?? 0) + 1) throw new FetchError('overloaded')
    const last = most.at(-1)!
    remove(last)
    last.refuse(new FetchError('overloaded'))
  }

  function remove(task: Task): void {
    const at = queue.indexOf(task)
    if (at >= 0) queue.splice(at, 1)
  }

  function leave(task: Task): void {
    remove(task)
    if (!task.isRunning) return
    count(task, -1)
    while (startNext());
  }

  return {
    async take({ user, limits: shared }: SlotRequest, signal: AbortSignal): Promise<Disposable> {
      signal.throwIfAborted()
      using stack = new DisposableStack()
      const limits = [all, ...shared.map(joinLimit)]
      stack.defer(() => shared.forEach(leaveLimit))
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const task: Task = { user, limits, isRunning: false, grant: resolve, refuse: reject }
      stack.defer(() => leave(task))
      if (canStart(task)) start(task)
      else {
        makeRoomFor(user)
        queue.push(task)
        // If the wait is aborted at the moment the slot is granted, `leave` releases the slot.
        await untilAborted(promise, signal)
      }
      return stack.move()
    },
    load(): Load {
      const active = Math.min(all.running, total)
      return { active, waiting: queue.length + all.running - active, limit: total }
    },
  }
}

function newLimit(max: number): LimitState {
  return { max, running: 0, runningOf: new Map(), tasks: 0 }
}

function canStart({ user, limits }: Task): boolean {
  return limits.every(({ max, running, runningOf }) => running < (runningOf.has(user) ? max : max + reserveOf(max)))
}

function reserveOf(max: number): number {
  return Math.max(1, Math.floor(max / SLOTS_PER_RESERVE_SLOT))
}

function start(task: Task): void {
  task.isRunning = true
  count(task, 1)
}

function count({ user, limits }: Task, change: 1 | -1): void {
  for (const limit of limits) {
    limit.running += change
    addTo(limit.runningOf, user, change)
  }
}
