import { setTimeout as sleep } from 'node:timers/promises'

import type { AllowRule } from '../../core/egress.ts'
import type { RenderedPage, Renderer, RenderOutcome } from '../../core/ports.ts'
import type { RenderFailure, RenderReport } from '../../core/render-report.ts'
import { untilAborted } from '../abort.ts'
import { createBrowserSupervisor, type BrowserSupervisor, type BrowserLease } from './browser-supervisor.ts'
import type { OpenBrowser } from './open-browser.ts'
import { openPage, PageLoadError, type OpenPage, type LoadedPage } from './page-load.ts'
import { deadlineOf } from './deadline.ts'
import { createRenderQueue } from './render-queue.ts'
import { createGuard } from '../guard.ts'
import { MAX_PAGE_REQUESTS } from '../limits.ts'
import { openProxy, type Proxy } from './proxy.ts'
import type { TrafficLimits, PageAccess, TrafficUsage } from './proxy-account.ts'
import { createResolver } from '../resolver.ts'

export interface RendererDeps {
  /** The path of a Chromium. */
  executable: string
  /** What may be reached although it is private. */
  allow: readonly AllowRule[]
  dnsServers: readonly string[] | null
  /** The ports this process itself listens on. */
  ownPorts: () => readonly number[]
  /** Most pages at the same time. */
  concurrency: number
  /** Null sends what Chromium sends with a window. */
  userAgent: string | null
  onStart?: (opened: OpenBrowser) => void
  /** One that was started has ended, for whatever reason. */
  onEnd?: () => void
  /** Chromium did not start, or did what it never should, such as to end by itself. */
  onFault?: (error: unknown) => void
  allowance?: TrafficLimits
}

/** What is started with the first page. */
interface Engine extends AsyncDisposable {
  proxy: Proxy
  supervisor: BrowserSupervisor
}

interface Deadlines {
  /** What there is by then is taken. */
  settle: AbortSignal
  /** What was not taken by then is lost. */
  leave: AbortSignal
}

/** Pages that make themselves need some dozens of requests and a few megabytes; these are for the largest of them. */
const ALLOWANCE: TrafficLimits = { requests: MAX_PAGE_REQUESTS, bytes: 16 * 1024 * 1024, hosts: 60 }

/** What remains for the answer when the browser brings nothing. */
const RESERVE_MS = 250

/** What taking the document and reading it may take. */
const TAKE_MS = 250

/** A page whose browser ends twice is to blame itself. */
const MAX_ATTEMPTS = 2

/** A context that takes longer to close belongs to a browser that no longer works. */
const CLOSE_MS = 5_000

/** Renders pages in one local Chromium, which has no way out but a proxy over the guard. */
export function createRenderer(deps: RendererDeps): Renderer & AsyncDisposable {
  const { executable, allow, dnsServers, ownPorts, concurrency, userAgent, onStart } = deps
  const { onEnd = () => {}, onFault = () => {}, allowance = ALLOWANCE } = deps
  const queue = createRenderQueue(concurrency)
  const closings = new Set<Promise<void>>()
  let engine: Promise<Engine> | undefined

  async function startEngine(): Promise<Engine> {
    await using stack = new AsyncDisposableStack()
    const resolver = stack.use(createResolver({ servers: dnsServers }))
    const guard = createGuard({ resolver, allow, ownPorts: () => [...ownPorts(), proxy.port] })
    const proxy = stack.use(await openProxy({ guard }))
    const supervisor = stack.use(
      createBrowserSupervisor({ executable, proxyPort: proxy.port, onEnd: followEnd, ...(onStart && { onStart }) }),
    )
    const owned = stack.move()
    return { proxy, supervisor, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }

  function followEnd({ process }: OpenBrowser, isByItself: boolean): void {
    onEnd()
    if (isByItself) onFault(new Error(`Chromium has ended by itself: ${process.stderrTail() || 'without a word'}`))
  }

  /** Null when the proxy cannot listen: the next page tries again. */
  async function engineFor(): Promise<Engine | null> {
    try {
      return await (engine ??= startEngine())
    } catch (error) {
      engine = undefined
      onFault(error)
      return null
    }
  }

  async function borrow(supervisor: BrowserSupervisor, leave: AbortSignal): Promise<BrowserLease> {
    const lending = supervisor.lease()
    try {
      return await untilAborted(lending, leave)
    } catch (cause) {
      // It starts all the same, for whoever comes next.
      lending.then((lease) => lease[Symbol.dispose]()).catch(() => {})
      if (leave.aborted) throw new PageLoadError('out_of_time')
      onFault(cause)
      throw new PageLoadError('not_started', { cause })
    }
  }

  /** Visits the page in a context of its own. Its slot is free again when the context is closed, after the answer. */
  async function attempt(
    { proxy, supervisor }: Engine,
    url: URL,
    slot: Disposable,
    { settle, leave }: Deadlines,
  ): Promise<{ visited: LoadedPage | RenderFailure; used: TrafficUsage | null }> {
    let lease: BrowserLease | null = null
    let opening: Promise<OpenPage> | null = null
    const pass = proxy.admit(allowance)
    try {
      lease = await borrow(supervisor, leave)
      opening = openPage({ opened: lease.opened, pass, proxyPort: proxy.port, userAgent })
      const page = await untilAborted(opening, leave)
      const visited = await untilAborted(page.load(url, settle), leave)
      return { visited, used: pass.used }
    } catch (error) {
      return { visited: failureOf(error, lease, leave), used: pass.used }
    } finally {
      const closing = leavePage(pass, opening, lease, onFault).finally(() => slot[Symbol.dispose]())
      closings.add(closing)
      void closing.finally(() => closings.delete(closing))
    }
  }

  function failureOf(error: unknown, lease: BrowserLease | null, leave: AbortSignal): RenderFailure {
    if (leave.aborted) return 'out_of_time'
    // Its keeper tells that it has gone: once, not once for each of its pages.
    const isGone = lease !== null && !lease.opened.process.transport.isOpen()
    if (error instanceof PageLoadError && !isGone) return error.failure
    if (!isGone) onFault(error)
    lease?.discard()
    return 'browser_gone'
  }

  return {
    async render(url, budget) {
      const startedAt = performance.now()
      const end = (visited: LoadedPage | RenderFailure, used: TrafficUsage | null = null): RenderOutcome => {
        const report = reportOf(performance.now() - startedAt, used)
        return typeof visited === 'string' ? { failure: visited, report } : { page: pageOf(visited), report }
      }
      const running = await engineFor()
      if (running === null) return end('not_started')
      using settle = deadlineOf(budget, RESERVE_MS + TAKE_MS)
      using leave = deadlineOf(budget, RESERVE_MS)
      const deadlines = { settle: settle.signal, leave: leave.signal }
      for (let attempts = 1; ; attempts++) {
        const slot = await queue.take(budget)
        if (typeof slot === 'string') return end(slot)
        const { visited, used } = await attempt(running, url, slot, deadlines)
        // Another page may have taken the browser with it; this one then did nothing wrong.
        if (visited !== 'browser_gone' || attempts === MAX_ATTEMPTS) return end(visited, used)
      }
    },
    async [Symbol.asyncDispose]() {
      const running = await engine?.catch(() => null)
      await running?.[Symbol.asyncDispose]()
      await Promise.all(closings)
    },
  }
}

/** Closes what a visit has opened; a browser that does not manage that in time is ended. */
async function leavePage(
  pass: PageAccess,
  opening: Promise<OpenPage> | null,
  lease: BrowserLease | null,
  onFault: (error: unknown) => void,
): Promise<void> {
  pass[Symbol.dispose]()
  if (lease === null) return
  using _loan = lease
  const closed = (async () => {
    await (await opening)?.close()
  })().catch(() => {})
  const timer = new AbortController()
  const isLate = await Promise.race([
    closed.then(() => false),
    sleep(CLOSE_MS, true, { signal: timer.signal }).catch(() => false),
  ])
  timer.abort()
  if (!isLate) return
  onFault(new Error('Chromium does not close a page; it is ended'))
  lease.discard()
}

function pageOf({ url, status, contentType, html }: LoadedPage): RenderedPage {
  const isHtml = contentType === 'text/html' || contentType === 'application/xhtml+xml'
  return {
    url,
    status,
    kind: isHtml ? 'html' : 'other',
    bytes: new TextEncoder().encode(isHtml ? html : ''),
    charset: { encoding: 'UTF-8', from: 'header' },
  }
}

function reportOf(durationMs: number, used: TrafficUsage | null): RenderReport {
  return {
    durationMs: Math.round(durationMs),
    requests: used?.requests ?? 0,
    bytes: used?.bytes ?? 0,
    hosts: used?.hosts.size ?? 0,
    refused: Array.from(used?.refused ?? [], ([destination, refusal]) => ({ destination, refusal })),
  }
}
