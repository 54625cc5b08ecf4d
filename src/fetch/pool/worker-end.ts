import type { Budget, PageTexts, Renderer } from '../../core/fetch/ports.ts'
import type { RenderHistory } from '../../core/fetch/render-history.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import { untilAborted } from '../response/abort.ts'
import type { FetcherDeps, FetchSlots } from '../fetcher.ts'
import type { Slots } from '../connection/slots.ts'
import { connect, fieldsOf } from './calls.ts'
import type { MainCalls, ReadReply, ReadRequest, WorkerCalls } from './messages.ts'

export type MainThread = Pick<FetcherDeps, 'slots' | 'ownPorts'>

/** `renderer` and `history` forward to Chromium and its history in the main thread. */
export interface Job {
  url: URL
  budget: Budget
  trace: FetchTrace
  listsTags: boolean
  /** Null when no browser is available. */
  renderer: Renderer | null
  history: RenderHistory
}

/** Runs in a worker. */
export interface JobReader<Settings> {
  read(job: Job): Promise<PageTexts>
  configure(settings: Settings): void
}

/**
 * How long before the deadline the trace is sent, in milliseconds. At the deadline, the main thread responds and logs
 * the trace without waiting for the worker. The first is for a busy machine, where the second may arrive too late.
 */
const TRACE_LEADS_MS = [150, 30]

export function serveJobs<Settings>(
  port: Parameters<typeof connect>[0],
  open: (settings: Settings, main: MainThread) => JobReader<Settings>,
): void {
  let reader: JobReader<Settings>
  let hasBrowser: boolean
  let current: Int32Array
  let ownPorts: readonly number[] = []
  let lastSlot = 0
  const deadlines = new Map<number, number>()

  const calls: WorkerCalls<Settings> = {
    open({ settings, ...shared }) {
      ;({ hasBrowser, current } = shared)
      reader = open(settings, {
        slots: { pages: slotsOf('pages'), icons: slotsOf('icons') },
        ownPorts: () => ownPorts,
      })
    },
    configure: (settings) => reader.configure(settings),
    read,
    extend({ job, remainingMs }) {
      if (deadlines.has(job)) deadlines.set(job, performance.now() + remainingMs)
    },
    ping() {},
  }
  const main = connect<MainCalls>(port, calls)

  /** The main thread has the slots, because all workers share them. */
  function slotsOf(of: keyof FetchSlots): Slots {
    return {
      async take(request, signal) {
        signal.throwIfAborted()
        const slot = ++lastSlot
        using stack = new DisposableStack()
        stack.defer(() => main.tell('release', slot))
        await untilAborted(main.call('take', { slot, of, request }, signal), signal)
        return stack.move()
      },
    }
  }

  function rendererFor(job: number): Renderer {
    return {
      async render(target, { signal }) {
        const reply = await main.call('render', { job, url: target.href }, signal)
        if ('failure' in reply) return reply
        const { page, url, report } = reply
        return { page: { ...page, url: new URL(url) }, report }
      },
    }
  }

  async function read(request: ReadRequest, signal: AbortSignal): Promise<ReadReply> {
    const { job, userId, publicOnly, language, remainingMs, listsTags, needsBrowser } = request
    ownPorts = request.ownPorts
    const trace: FetchTrace = { hops: [] }
    deadlines.set(job, performance.now() + remainingMs)
    const untilDeadline = () => Math.max(0, (deadlines.get(job) ?? 0) - performance.now())
    const beforeStep = () => void (current[0] = job)
    const budget = { userId, publicOnly, language, signal, remainingMs: untilDeadline, beforeStep }
    const history: RenderHistory = {
      needsBrowser: () => needsBrowser,
      note: (host, neededBrowser) => main.tell('note', { host, neededBrowser }),
    }
    const report = () => main.tell('progress', { job, trace: JSON.stringify(trace) })
    const timers = TRACE_LEADS_MS.map((leadMs) => setTimeout(report, Math.max(0, remainingMs - leadMs)))
    try {
      const renderer = hasBrowser ? rendererFor(job) : null
      const texts = await reader.read({ url: new URL(request.url), budget, trace, listsTags, renderer, history })
      return { trace: JSON.stringify(trace), texts }
    } catch (error) {
      return { trace: JSON.stringify(trace), error: fieldsOf(error) }
    } finally {
      timers.forEach(clearTimeout)
      deadlines.delete(job)
    }
  }
}
