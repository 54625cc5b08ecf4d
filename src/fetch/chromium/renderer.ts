import { FetchError } from '../../core/errors.ts'
import { MIN_HEADLESS_MS } from '../../core/fetch/method.ts'
import { languagesOf } from '../../core/net/language.ts'
import type { Budget, RenderedPage, Renderer, RenderOutcome } from '../../core/fetch/ports.ts'
import { browserCookies, type LanguageChoice, languageFor } from '../../core/sites/sites.ts'
import type { RenderFailure, RenderReport } from '../../core/fetch/render-report.ts'
import { type CountedSlots, createSlots } from '../connection/slots.ts'
import { untilAborted } from '../response/abort.ts'
import { MAX_PAGE_REQUESTS } from './limits.ts'
import { BrowserBackOffError, type BrowserSupervisor, type BrowserLease } from './browser-supervisor.ts'
import { deadlineOf } from './deadline.ts'
import { startEngine, type Engine, type EngineDeps } from './engine.ts'
import type { OpenBrowser } from './open-browser.ts'
import { RESPONSE_MS, responseDeadline, type ResponseDeadline } from './pulse.ts'
import { openPage, PageLoadError, type OpenPage, type LoadedPage } from './page-load.ts'
import type { TrafficLimits, PageAccess } from './proxy-session.ts'

export interface RendererDeps extends EngineDeps, Pick<LanguageChoice, 'acceptLanguage'> {
  concurrency: number
  /** Null sends Chrome's own User-Agent. */
  userAgent: string | null
  /** Called when a started browser has stopped; `isUnexpected` when this service did not stop it. */
  onEnd?: (isUnexpected: boolean) => void
  /**
   * Called when a page is not rendered, because Chromium failed repeatedly and is not started again for `remainingMs`.
   */
  onBackOff?: (remainingMs: number) => void
}

interface Deadlines {
  /** Stop waiting and read the page in its current state. */
  soft: AbortSignal
  /** Give up. */
  hard: AbortSignal
}

/** Rendered pages need some dozens of requests and a few megabytes; these limits allow for the largest. */
const TRAFFIC_LIMITS: TrafficLimits = { requests: MAX_PAGE_REQUESTS, bytes: 16 * 1024 * 1024, hosts: 60 }

/** Time left for the caller to return the plain result when rendering fails. */
const RESERVE_MS = 250

/** Time to read the document out of the browser. */
const READ_MS = 250

/** A page is retried once when the browser crashes, because another page may be the cause. */
const MAX_ATTEMPTS = 2

/** Renders pages in one Chromium, whose only network access is a proxy that applies the egress rules. */
export function createRenderer(deps: RendererDeps): Renderer & Pick<CountedSlots, 'load'> & AsyncDisposable {
  const { concurrency, userAgent, settings, acceptLanguage, responseMs = RESPONSE_MS } = deps
  /** A page that was open for longer may be the reason why the browser does not respond. */
  const suspectMs = (responseMs * 3) / 4
  const { onEnd = () => {}, onError = () => {} } = deps
  const slots = createSlots({ total: concurrency })
  const closings = new Set<Promise<void>>()
  let engine: Promise<Engine> | undefined

  function handleEnd({ process, transport }: OpenBrowser, isUnexpected: boolean): void {
    onEnd(isUnexpected)
    const fault = transport.fault()
    if (fault !== null) onError(new Error(`Chromium was stopped: ${fault}`))
    else if (isUnexpected) {
      const reason = process === null ? 'the connection was closed' : process.stderrTail() || 'no output on stderr'
      onError(new Error(`Chromium exited unexpectedly: ${reason}`))
    }
  }

  /** Null when starting fails; the next page tries again. */
  async function engineFor(): Promise<Engine | null> {
    try {
      return await (engine ??= startEngine(deps, handleEnd))
    } catch (error) {
      engine = undefined
      onError(error)
      return null
    }
  }

  /**
   * Loads the page in its own browser context. The slot is released when the context is closed, which is after the
   * result is returned.
   */
  async function attempt(
    { proxy, proxyAddress, supervisor }: Engine,
    url: URL,
    caller: Budget,
    slot: Disposable,
    deadlines: Deadlines,
  ): Promise<{ outcome: LoadedPage | RenderFailure; used: PageAccess['used']; openMs: number }> {
    let openedAtMs: number | null = null
    const openMs = () => (openedAtMs === null ? 0 : performance.now() - openedAtMs)
    let lease: BrowserLease | null = null
    let opening: Promise<OpenPage> | null = null
    const access = proxy.grantAccess(TRAFFIC_LIMITS, caller.publicOnly)
    try {
      lease = await leaseBrowser(supervisor, deadlines.hard, deps)
      const { sites } = settings()
      const cookies = browserCookies(url, sites)
      const choice = { caller, sites, acceptLanguage }
      const languages = languagesOf(languageFor(url.hostname, choice))
      opening = openPage({ opened: lease.opened, access, proxy: proxyAddress, userAgent, cookies, choice, languages })
      const page = await openInTime(opening, deadlines.hard, responseDeadline(lease.opened.process, responseMs))
      openedAtMs = performance.now()
      const outcome = await untilAborted(page.load(url, deadlines.soft), deadlines.hard)
      lease.succeeded()
      return { outcome, used: access.used, openMs: openMs() }
    } catch (error) {
      return { outcome: failureOf(error, lease, deadlines, deps), used: access.used, openMs: openMs() }
    } finally {
      const closing = closePage(access, opening, lease, onError, responseMs).finally(() => slot[Symbol.dispose]())
      closings.add(closing)
      void closing.finally(() => closings.delete(closing))
    }
  }

  return {
    async render(url, budget) {
      const startedAt = performance.now()
      const end = (loaded: LoadedPage | RenderFailure, used: PageAccess['used'] | null = null): RenderOutcome => {
        const report = reportOf(performance.now() - startedAt, used)
        return typeof loaded === 'string' ? { failure: loaded, report } : { page: pageOf(loaded), report }
      }
      const running = await engineFor()
      if (running === null) return end('not_started')
      using soft = deadlineOf(budget, RESERVE_MS + READ_MS)
      using hard = deadlineOf(budget, RESERVE_MS)
      const deadlines = { soft: soft.signal, hard: hard.signal }
      for (let attempts = 1; ; attempts++) {
        const slot = await takeSlot(slots, budget)
        if (typeof slot === 'string') return end(slot)
        const { outcome, used, openMs } = await attempt(running, url, budget, slot, deadlines)
        // Another page may be the reason, so try again. A page that was open for long may itself be the reason.
        if (outcome !== 'browser_gone' || attempts === MAX_ATTEMPTS || openMs > suspectMs) return end(outcome, used)
      }
    },
    load: slots.load,
    async [Symbol.asyncDispose]() {
      const running = await engine?.catch(() => null)
      await running?.[Symbol.asyncDispose]()
      await Promise.all(closings)
    },
  }
}

/** `busy` if the queue is full, `out_of_time` if the wait took too long. */
async function takeSlot(slots: CountedSlots, budget: Budget): Promise<Disposable | 'busy' | 'out_of_time'> {
  using deadline = deadlineOf(budget, MIN_HEADLESS_MS)
  try {
    return await slots.take({ user: budget.userId, limits: [] }, deadline.signal)
  } catch (error) {
    return error instanceof FetchError && error.failure === 'overloaded' ? 'busy' : 'out_of_time'
  }
}

/** @throws PageLoadError */
async function leaseBrowser(supervisor: BrowserSupervisor, hardDeadline: AbortSignal, deps: RendererDeps) {
  const leasing = supervisor.lease()
  try {
    return await untilAborted(leasing, hardDeadline)
  } catch (cause) {
    // The browser still starts, for the next page.
    leasing.then((lease) => lease[Symbol.dispose]()).catch(() => {})
    if (hardDeadline.aborted) throw new PageLoadError('out_of_time')
    // The failures before the back-off were already reported.
    if (cause instanceof BrowserBackOffError) deps.onBackOff?.(cause.remainingMs)
    else deps.onError?.(cause)
    throw new PageLoadError('not_started', { cause })
  }
}

/** @throws Error when the browser does not open the page in time; the deadline's reason if that aborts first */
async function openInTime(opening: Promise<OpenPage>, hardDeadline: AbortSignal, deadline: ResponseDeadline) {
  using late = deadline
  return await untilAborted(opening, AbortSignal.any([hardDeadline, late.signal])).catch((cause) => {
    throw cause === late.signal.reason ? new Error('Chromium did not open a page in time and is being stopped') : cause
  })
}

/** Discards a browser that failed, so that another one is started. */
function failureOf(error: unknown, lease: BrowserLease | null, { hard }: Deadlines, deps: RendererDeps): RenderFailure {
  if (hard.aborted) return 'out_of_time'
  // The supervisor reports a stopped browser once; do not report it again for each of its pages.
  const hasEnded = lease !== null && !lease.opened.transport.isOpen()
  if (error instanceof PageLoadError && !hasEnded) return error.failure
  if (!hasEnded) deps.onError?.(error)
  lease?.discard()
  return 'browser_gone'
}

/** Closes the page and its proxy access. Stops a browser that does not close the page in time. */
async function closePage(
  access: PageAccess,
  opening: Promise<OpenPage> | null,
  lease: BrowserLease | null,
  onError: (error: unknown) => void,
  closeMs: number,
): Promise<void> {
  access[Symbol.dispose]()
  if (lease === null) return
  using _lease = lease
  const closed = (async () => {
    await (await opening)?.close()
  })().catch(() => {})
  using deadline = responseDeadline(lease.opened.process, closeMs)
  await untilAborted(closed, deadline.signal).catch(() => {
    onError(new Error('Chromium did not close a page in time and is being stopped'))
    lease.discard()
  })
}

function pageOf({ url, status, contentType, html, isCut }: LoadedPage): RenderedPage {
  const isHtml = contentType === 'text/html' || contentType === 'application/xhtml+xml'
  return {
    url,
    status,
    isCut,
    kind: isHtml ? 'html' : 'other',
    bytes: new TextEncoder().encode(isHtml ? html : ''),
    charset: { encoding: 'UTF-8', from: 'header' },
  }
}

function reportOf(durationMs: number, used: PageAccess['used'] | null): RenderReport {
  return {
    durationMs: Math.round(durationMs),
    requests: used?.requests ?? 0,
    bytes: used?.bytes ?? 0,
    hosts: used?.hosts.size ?? 0,
    refused: Array.from(used?.refused ?? [], ([destination, refusal]) => ({ destination, refusal })),
  }
}
