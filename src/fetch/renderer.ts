import { setTimeout as sleep } from 'node:timers/promises'

import type { AllowRule } from '../core/egress.ts'
import type { RenderedPage, RenderFailure, Renderer, RenderOutcome, RenderReport } from '../core/ports.ts'
import { untilAborted } from './abort.ts'
import { createBrowserKeeper, type BrowserKeeper, type Loan } from './chromium/browser-keeper.ts'
import type { OpenBrowser } from './chromium/open-browser.ts'
import { openPage, VisitError, type OpenPage, type VisitedPage } from './chromium/page-visit.ts'
import { patienceOf } from './chromium/patience.ts'
import { createTurns } from './chromium/turns.ts'
import { createGuard } from './guard.ts'
import { openProxy, type Proxy } from './proxy.ts'
import type { Allowance, Pass, Usage } from './proxy-pass.ts'
import { createResolver } from './resolver.ts'

export interface RendererParts {
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
  allowance?: Allowance
}

/** What is started with the first page. */
interface Engine extends AsyncDisposable {
  proxy: Proxy
  keeper: BrowserKeeper
}

interface Deadlines {
  /** What there is by then is taken. */
  settle: AbortSignal
  /** What was not taken by then is lost. */
  leave: AbortSignal
}

/** Pages that make themselves need some dozens of requests and a few megabytes; these are for the largest of them. */
const ALLOWANCE: Allowance = { requests: 500, bytes: 16 * 1024 * 1024, hosts: 60 }

/** What remains for the answer when the browser brings nothing. */
const RESERVE_MS = 250

/** What taking the document and reading it may take. */
const TAKE_MS = 250

/** A page whose browser ends twice is to blame itself. */
const MAX_ATTEMPTS = 2

/** A context that takes longer to close belongs to a browser that no longer works. */
const CLOSE_MS = 5_000

/** Renders pages in one local Chromium, which has no way out but a proxy over the guard. */
export function createRenderer(parts: RendererParts): Renderer & AsyncDisposable {
  const { executable, allow, dnsServers, ownPorts, concurrency, userAgent, onStart } = parts
  const { onEnd = () => {}, onFault = () => {}, allowance = ALLOWANCE } = parts
  const turns = createTurns(concurrency)
  const closings = new Set<Promise<void>>()
  let engine: Promise<Engine> | undefined

  async function startEngine(): Promise<Engine> {
    await using stack = new AsyncDisposableStack()
    const resolver = stack.use(createResolver({ servers: dnsServers }))
    const guard = createGuard({ resolver, allow, ownPorts: () => [...ownPorts(), proxy.port] })
    const proxy = stack.use(await openProxy({ guard }))
    const keeper = stack.use(
      createBrowserKeeper({ executable, proxyPort: proxy.port, onEnd: followEnd, ...(onStart && { onStart }) }),
    )
    const owned = stack.move()
    return { proxy, keeper, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }

  function followEnd({ process }: OpenBrowser, isByItself: boolean): void {
    onEnd()
    if (isByItself) onFault(new Error(`Chromium has ended by itself: ${process.lastWords() || 'without a word'}`))
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

  async function borrow(keeper: BrowserKeeper, leave: AbortSignal): Promise<Loan> {
    const lending = keeper.lend()
    try {
      return await untilAborted(lending, leave)
    } catch (cause) {
      // It starts all the same, for whoever comes next.
      lending.then((loan) => loan[Symbol.dispose]()).catch(() => {})
      if (leave.aborted) throw new VisitError('out_of_time')
      onFault(cause)
      throw new VisitError('not_started', { cause })
    }
  }

  /** Visits the page in a context of its own. Its slot is free again when the context is closed, after the answer. */
  async function attempt(
    { proxy, keeper }: Engine,
    url: URL,
    slot: Disposable,
    { settle, leave }: Deadlines,
  ): Promise<{ visited: VisitedPage | RenderFailure; used: Usage | null }> {
    let loan: Loan | null = null
    let opening: Promise<OpenPage> | null = null
    const pass = proxy.admit(allowance)
    try {
      loan = await borrow(keeper, leave)
      opening = openPage({ opened: loan.opened, pass, proxyPort: proxy.port, userAgent })
      const page = await untilAborted(opening, leave)
      const visited = await untilAborted(page.visit(url, settle), leave)
      return { visited, used: pass.used }
    } catch (error) {
      return { visited: failureOf(error, loan, leave), used: pass.used }
    } finally {
      const closing = leavePage(pass, opening, loan, onFault).finally(() => slot[Symbol.dispose]())
      closings.add(closing)
      void closing.finally(() => closings.delete(closing))
    }
  }

  function failureOf(error: unknown, loan: Loan | null, leave: AbortSignal): RenderFailure {
    if (leave.aborted) return 'out_of_time'
    // Its keeper tells that it has gone: once, not once for each of its pages.
    const isGone = loan !== null && !loan.opened.process.transport.isOpen()
    if (error instanceof VisitError && !isGone) return error.failure
    if (!isGone) onFault(error)
    loan?.condemn()
    return 'browser_gone'
  }

  return {
    async render(url, budget) {
      const startedAt = performance.now()
      const end = (visited: VisitedPage | RenderFailure, used: Usage | null = null): RenderOutcome => {
        const report = reportOf(performance.now() - startedAt, used)
        return typeof visited === 'string' ? { failure: visited, report } : { page: pageOf(visited), report }
      }
      const running = await engineFor()
      if (running === null) return end('not_started')
      using settle = patienceOf(budget, RESERVE_MS + TAKE_MS)
      using leave = patienceOf(budget, RESERVE_MS)
      const deadlines = { settle: settle.signal, leave: leave.signal }
      for (let attempts = 1; ; attempts++) {
        const slot = await turns.take(budget)
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
  pass: Pass,
  opening: Promise<OpenPage> | null,
  loan: Loan | null,
  onFault: (error: unknown) => void,
): Promise<void> {
  pass[Symbol.dispose]()
  if (loan === null) return
  using _loan = loan
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
  loan.condemn()
}

function pageOf({ url, status, contentType, html }: VisitedPage): RenderedPage {
  const isHtml = contentType === 'text/html' || contentType === 'application/xhtml+xml'
  return {
    url,
    status,
    kind: isHtml ? 'html' : 'other',
    bytes: new TextEncoder().encode(isHtml ? html : ''),
    charset: { encoding: 'UTF-8', from: 'header' },
  }
}

function reportOf(durationMs: number, used: Usage | null): RenderReport {
  return {
    durationMs: Math.round(durationMs),
    requests: used?.requests ?? 0,
    bytes: used?.bytes ?? 0,
    hosts: used?.hosts.size ?? 0,
    refused: Array.from(used?.refused ?? [], ([destination, refusal]) => ({ destination, refusal })),
  }
}
