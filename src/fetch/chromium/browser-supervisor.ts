import { MINUTE_MS } from '../../core/duration.ts'
import { createBackOff } from './back-off.ts'
import type { OpenBrowser } from './open-browser.ts'
import { RESPONSE_MS, watchPulse } from './pulse.ts'

/** Thrown while the supervisor waits after repeated failures. */
export class BrowserBackOffError extends Error {
  constructor(readonly remainingMs: number) {
    super(`Chromium failed several times; the next attempt is in ${Math.ceil(remainingMs / 1_000)} s`)
  }
}

export type BrowserSupervisor = ReturnType<typeof createBrowserSupervisor>
export type BrowserLease = Awaited<ReturnType<BrowserSupervisor['lease']>>

interface BrowserSupervisorDeps {
  /**
   * Starts a browser, or connects to one. `signal` aborts when the browser is no longer needed; `open` may ignore it.
   */
  open: (signal: AbortSignal) => Promise<OpenBrowser>
  onStart?: (opened: OpenBrowser) => void
  /** Called when a started browser has stopped; `isUnexpected` when the supervisor did not stop it. */
  onEnd?: (opened: OpenBrowser, isUnexpected: boolean) => void
  /** A browser that does not respond for this long is stopped, after `onSilence`. */
  responseMs?: number | undefined
  onSilence?: () => void
  /** Idle time after which the browser is stopped, in milliseconds. */
  idleMs?: number
  /** The number of pages after which the browser is replaced. */
  maxPages?: number
  /** A monotonic clock, in milliseconds. */
  now?: () => number
}

/** Keeps the browser warm for occasional requests, and frees its memory soon after the last one. */
const IDLE_MS = 2 * MINUTE_MS

/** Chromium's memory grows with every page. */
const MAX_PAGES = 200

/** One browser, from its start until it has stopped. */
interface Instance {
  readonly opening: Promise<OpenBrowser>
  /** Cancels the start of the browser. */
  readonly stopping: AbortController
  leases: number
  pages: number
  idle: Timer | undefined
}

/** Starts one Chromium on demand, stops it when idle, replaces it after `maxPages` or a crash; waits after failures. */
export function createBrowserSupervisor(deps: BrowserSupervisorDeps) {
  const { open, onStart = () => {}, onEnd = () => {}, onSilence = () => {} } = deps
  const { responseMs = RESPONSE_MS, idleMs = IDLE_MS, maxPages = MAX_PAGES, now = () => performance.now() } = deps
  const backOff = createBackOff(now)
  const running = new Set<Instance>()
  const closing = new Set<Promise<void>>()
  let current: Instance | null = null

  function start(): Instance {
    const stopping = new AbortController()
    const instance: Instance = { opening: open(stopping.signal), stopping, leases: 0, pages: 0, idle: undefined }
    running.add(instance)
    void monitor(instance)
    return instance
  }

  async function monitor(instance: Instance): Promise<void> {
    try {
      const opened = await instance.opening
      onStart(opened)
      const isBusy = () => instance.leases > 0
      using _pulse = watchPulse(opened, responseMs, isBusy, () => (onSilence(), end(instance)))
      await opened.disconnected
    } catch {
      // The error is reported to the callers of `lease`.
    } finally {
      end(instance)
    }
  }

  /** Stops assigning new pages to the browser; current ones may finish. */
  function retire(instance: Instance): void {
    if (current === instance) current = null
  }

  function end(instance: Instance): void {
    retire(instance)
    clearTimeout(instance.idle)
    if (!running.delete(instance)) return
    instance.stopping.abort()
    const closed = close(instance)
    closing.add(closed)
    void closed.finally(() => closing.delete(closed))
  }

  async function close({ opening }: Instance): Promise<void> {
    // A browser that did not start needs no cleanup.
    const opened = await opening.catch(() => null)
    if (opened === null) return backOff.failed()
    const isUnexpected = !opened.transport.isOpen()
    if (isUnexpected) backOff.failed()
    await opened[Symbol.asyncDispose]()
    onEnd(opened, isUnexpected)
  }

  function release(instance: Instance): void {
    instance.leases--
    if (instance.leases > 0) return
    if (instance === current) instance.idle = setTimeout(() => end(instance), idleMs)
    else end(instance)
  }

  return {
    /**
     * Leases the browser for one page. Disposing the lease returns the browser.
     * @throws BrowserBackOffError while the supervisor waits after failures; Error when the browser does not start
     */
    async lease() {
      if (current === null && backOff.remainingMs() > 0) throw new BrowserBackOffError(backOff.remainingMs())
      const instance = (current ??= start())
      clearTimeout(instance.idle)
      instance.leases++
      if (++instance.pages >= maxPages) retire(instance)
      return {
        opened: await instance.opening,
        /** Stops the browser immediately, because it no longer works. */
        discard: () => end(instance),
        /** Reports that the browser loaded a page, which resets the back-off. */
        succeeded: () => backOff.succeeded(),
        [Symbol.dispose]: () => release(instance),
      }
    },
    async [Symbol.asyncDispose]() {
      for (const instance of running) end(instance)
      await Promise.all(closing)
    },
  }
}
