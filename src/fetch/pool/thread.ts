import { FetchError } from '../../core/errors.ts'
import type { Budget, ReadTexts, Renderer } from '../../core/fetch/ports.ts'
import type { RenderHistory } from '../../core/fetch/render-history.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import type { FetchSlots } from '../fetcher.ts'
import { connect, errorOf } from './calls.ts'
import type { MainCalls, WorkerCalls } from './messages.ts'

export interface ThreadDeps<Settings> {
  entry: string
  /** Called when the worker starts, and each time that the settings have changed. */
  settings: () => Settings
  slots: FetchSlots
  /** Null when no browser is available. */
  renderer: Renderer | null
  history: RenderHistory | null
  ownPorts: () => readonly number[]
}

export interface ThreadEnd {
  reason: 'unresponsive' | 'crashed'
  /** The host of the page that it processed; null if it processed none. */
  host: string | null
  /** The message of an uncaught error; null for none. */
  error: string | null
  /** False if it ended before it could read pages. */
  wasReady: boolean
}

/** A worker, seen from the main thread. Disposing it aborts its pages. */
export type Thread = ReturnType<typeof startThread>

/** How often a worker with pages is asked whether it is alive, in milliseconds. It answers between two steps of its work. */
const PING_MS = 500

/** A worker that does not answer so many times is ended: after 2 seconds. Steps take milliseconds. */
const MAX_UNANSWERED = 4

/** If the process has used less CPU time than this since the last answer, the worker may be waiting for a CPU. */
const MIN_CPU_MICROSECONDS = 500_000

/** A worker that starts, or waits for a CPU, cannot answer. On a busy machine, starting takes seconds. */
const MAX_UNANSWERED_WAITING = 60

interface Job {
  host: string
  budget: Budget
  trace: FetchTrace
}

/** Starts a worker. It is ended when it does not answer. */
export function startThread<Settings>(deps: ThreadDeps<Settings>, onEnd: (end: ThreadEnd) => void) {
  const { entry, settings, slots, renderer, history, ownPorts } = deps
  const worker = new Worker(entry)
  const jobs = new Map<number, Job>()
  /** The slots of the worker, granted or not. */
  const held = new Map<number, Promise<Disposable>>()
  /** The number of the job that the worker processes; readable even if the worker does not answer. */
  const current = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const started = Promise.withResolvers<void>()
  let lastJob = 0
  let unanswered = 0
  let cpuAtAnswer = process.cpuUsage()
  let isReady = false
  let hasEnded = false
  let uncaught: string | null = null

  function release(slot: number) {
    // One that is not granted needs no release.
    void held.get(slot)?.then(
      (granted) => granted[Symbol.dispose](),
      () => {},
    )
    held.delete(slot)
  }

  const calls: MainCalls = {
    async take({ slot, of, request }, signal) {
      const taking = slots[of].take(request, signal)
      // Before it is granted: a request that is aborted immediately releases the slot in the same turn.
      held.set(slot, taking)
      await taking
      if (hasEnded) release(slot)
    },
    release,
    async render({ job, url: requested }, signal) {
      const { budget } = jobs.get(job)!
      const outcome = await renderer!.render(new URL(requested), { ...budget, signal })
      if ('failure' in outcome) return outcome
      const { url, ...page } = outcome.page
      return { report: outcome.report, page, url: url.href }
    },
    note: ({ host, neededBrowser }) => history?.note(host, neededBrowser),
    progress: ({ job, trace }) => void Object.assign(jobs.get(job)!.trace, JSON.parse(trace)),
  }
  const remote = connect<WorkerCalls<Settings>>(worker, calls)

  function alive() {
    isReady = true
    unanswered = 0
    cpuAtAnswer = process.cpuUsage()
    started.resolve()
  }

  function end(error: Error) {
    hasEnded = true
    clearInterval(timer)
    worker.terminate()
    started.resolve()
    remote.fail(error)
    for (const slot of held.keys()) release(slot)
  }

  function fail(reason: ThreadEnd['reason']) {
    if (hasEnded) return
    const host = jobs.get(current[0]!)?.host ?? null
    end(new FetchError('not_processed'))
    onEnd({ reason, host, error: uncaught, wasReady: isReady })
  }

  const timer = setInterval(() => {
    // Answers are counted instead of time, which passes for both threads while the process is paused.
    const isWaiting = !isReady || process.cpuUsage(cpuAtAnswer).user < MIN_CPU_MICROSECONDS
    if (remote.pending() === 0) alive()
    else if (unanswered++ >= (isWaiting ? MAX_UNANSWERED_WAITING : MAX_UNANSWERED)) fail('unresponsive')
    else if (isReady) remote.call('ping', null).then(alive, () => {})
  }, PING_MS)
  timer.unref()
  worker.addEventListener('error', (event) => {
    event.preventDefault()
    uncaught = event.message
  })
  worker.addEventListener('close', () => fail('crashed'))
  remote.call('open', { settings: settings(), hasBrowser: renderer !== null, current }).then(alive, () => {})

  const read: ReadTexts = async (url, budget, trace, listsTags) => {
    const { userId, publicOnly, language, signal } = budget
    signal.throwIfAborted()
    const job = ++lastJob
    jobs.set(job, { host: url.hostname, budget, trace })
    const request = { job, url: url.href, userId, publicOnly, language, remainingMs: budget.remainingMs(), listsTags }
    const server = { ownPorts: ownPorts(), needsBrowser: history?.needsBrowser(url.host) ?? false }
    // A job ends with its reply, even if nobody waits for it.
    const reading = remote.call('read', { ...request, ...server }, signal).finally(() => jobs.delete(job))
    budget.onExtended?.(() => remote.tell('extend', { job, remainingMs: budget.remainingMs() }))
    const reply = await reading
    Object.assign(trace, JSON.parse(reply.trace))
    signal.throwIfAborted()
    if ('error' in reply) throw errorOf(reply.error)
    return reply.texts
  }

  return {
    /** Resolves when the worker can read pages, or has ended. */
    started: started.promise,
    read,
    configure: () => remote.tell('configure', settings()),
    [Symbol.dispose]() {
      if (!hasEnded) end(new Error('The reader is closed'))
    },
  }
}
