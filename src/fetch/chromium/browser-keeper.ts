import { openBrowser, type OpenBrowser } from './open-browser.ts'

/** The use of a browser for one page. Disposing it returns the browser. */
export interface Loan extends Disposable {
  readonly opened: OpenBrowser
  /** Marks the browser as broken: it is ended immediately and not used again. */
  condemn(): void
}

/** Supervises one Chromium: starts it on demand, ends it when idle, replaces it after `maxPages` pages or a crash. */
export interface BrowserKeeper extends AsyncDisposable {
  /** @throws Error when it does not start */
  lend(): Promise<Loan>
}

export interface BrowserKeeperParts {
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
interface Tenure {
  readonly opening: Promise<OpenBrowser>
  lent: number
  pages: number
  idle: Timer | undefined
}

export function createBrowserKeeper(parts: BrowserKeeperParts): BrowserKeeper {
  const { executable, proxyPort, onStart = () => {}, onEnd = () => {} } = parts
  const { idleMs = IDLE_MS, maxPages = MAX_PAGES } = parts
  const running = new Set<Tenure>()
  const endings = new Set<Promise<void>>()
  let current: Tenure | null = null

  function start(): Tenure {
    const tenure: Tenure = { opening: openBrowser(executable, proxyPort), lent: 0, pages: 0, idle: undefined }
    running.add(tenure)
    void follow(tenure)
    return tenure
  }

  async function follow(tenure: Tenure): Promise<void> {
    try {
      const opened = await tenure.opening
      onStart(opened)
      await opened.gone
    } catch {
      // The callers of `lend` get the error.
    } finally {
      end(tenure)
    }
  }

  /** Takes no new pages; current ones may finish. */
  function retire(tenure: Tenure): void {
    if (current === tenure) current = null
  }

  function end(tenure: Tenure): void {
    retire(tenure)
    clearTimeout(tenure.idle)
    if (!running.delete(tenure)) return
    const ending = close(tenure)
    endings.add(ending)
    void ending.finally(() => endings.delete(ending))
  }

  async function close({ opening }: Tenure): Promise<void> {
    // A browser that did not start needs no cleanup.
    const opened = await opening.catch(() => null)
    if (opened === null) return
    const isByItself = !opened.process.transport.isOpen()
    await opened[Symbol.asyncDispose]()
    onEnd(opened, isByItself)
  }

  function giveBack(tenure: Tenure): void {
    tenure.lent--
    if (tenure.lent > 0) return
    if (tenure === current) tenure.idle = setTimeout(() => end(tenure), idleMs)
    else end(tenure)
  }

  return {
    async lend() {
      const tenure = (current ??= start())
      clearTimeout(tenure.idle)
      tenure.lent++
      if (++tenure.pages >= maxPages) retire(tenure)
      return {
        opened: await tenure.opening,
        condemn: () => end(tenure),
        [Symbol.dispose]: () => giveBack(tenure),
      }
    },
    async [Symbol.asyncDispose]() {
      for (const tenure of running) end(tenure)
      await Promise.all(endings)
    },
  }
}
