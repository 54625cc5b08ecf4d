import { openBrowser, type OpenBrowser } from './open-browser.ts'

/** The use of a browser for one page. Disposing it returns the browser. */
export interface BrowserLease extends Disposable {
  readonly opened: OpenBrowser
  /** Marks the browser as broken: it is ended immediately and not used again. */
  discard(): void
}

/** Supervises one Chromium: starts it on demand, ends it when idle, replaces it after `maxPages` pages or a crash. */
export interface BrowserSupervisor extends AsyncDisposable {
  /** @throws Error when it does not start */
  lease(): Promise<BrowserLease>
}

export interface BrowserSupervisorDeps {
  executable: string
  proxyPort: number
  onStart?: (opened: OpenBrowser) => void
  /** A started browser has ended; `isByItself` when the supervisor did not end it. */
  onEnd?: (opened: OpenBrowser, isByItself: boolean) => void
  /** Milliseconds without a page after which the browser is ended. */
  idleMs?: number
  /** Pages after which the browser is replaced. */
  maxPages?: number
}

/** Keeps the browser warm for occasional requests, and frees its memory soon after the last one. */
const IDLE_MS = 2 * 60_000

/** Chromium's memory grows with every page. */
const MAX_PAGES = 200

/** One browser process from start to end. */
interface Instance {
  readonly opening: Promise<OpenBrowser>
  lent: number
  pages: number
  idle: Timer | undefined
}

export function createBrowserSupervisor(deps: BrowserSupervisorDeps): BrowserSupervisor {
  const { executable, proxyPort, onStart = () => {}, onEnd = () => {} } = deps
  const { idleMs = IDLE_MS, maxPages = MAX_PAGES } = deps
  const running = new Set<Instance>()
  const endings = new Set<Promise<void>>()
  let current: Instance | null = null

  function start(): Instance {
    const instance: Instance = { opening: openBrowser(executable, proxyPort), lent: 0, pages: 0, idle: undefined }
    running.add(instance)
    void follow(instance)
    return instance
  }

  async function follow(instance: Instance): Promise<void> {
    try {
      const opened = await instance.opening
      onStart(opened)
      await opened.gone
    } catch {
      // The callers of `lend` get the error.
    } finally {
      end(instance)
    }
  }

  /** Takes no new pages; current ones may finish. */
  function retire(instance: Instance): void {
    if (current === instance) current = null
  }

  function end(instance: Instance): void {
    retire(instance)
    clearTimeout(instance.idle)
    if (!running.delete(instance)) return
    const ending = close(instance)
    endings.add(ending)
    void ending.finally(() => endings.delete(ending))
  }

  async function close({ opening }: Instance): Promise<void> {
    // A browser that did not start needs no cleanup.
    const opened = await opening.catch(() => null)
    if (opened === null) return
    const isByItself = !opened.process.transport.isOpen()
    await opened[Symbol.asyncDispose]()
    onEnd(opened, isByItself)
  }

  function giveBack(instance: Instance): void {
    instance.lent--
    if (instance.lent > 0) return
    if (instance === current) instance.idle = setTimeout(() => end(instance), idleMs)
    else end(instance)
  }

  return {
    async lease() {
      const instance = (current ??= start())
      clearTimeout(instance.idle)
      instance.lent++
      if (++instance.pages >= maxPages) retire(instance)
      return {
        opened: await instance.opening,
        discard: () => end(instance),
        [Symbol.dispose]: () => giveBack(instance),
      }
    },
    async [Symbol.asyncDispose]() {
      for (const instance of running) end(instance)
      await Promise.all(endings)
    },
  }
}
