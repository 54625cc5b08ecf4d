import { openBrowser, type OpenBrowser } from './open-browser.ts'

/** A browser that somebody works with. Disposing gives it back. */
export interface Loan extends Disposable {
  readonly opened: OpenBrowser
  /** It cannot be worked with any more: nobody gets it again, and it ends at once. */
  condemn(): void
}

/** One Chromium: started when it is needed, ended when it is not, replaced when it is worn or gone. */
export interface BrowserKeeper extends AsyncDisposable {
  /** @throws Error when it does not start */
  lend(): Promise<Loan>
}

export interface BrowserKeeperParts {
  executable: string
  proxyPort: number
  onStart?: (opened: OpenBrowser) => void
  /** One that was started has ended; by itself when nobody here wanted it to. */
  onEnd?: (opened: OpenBrowser, isByItself: boolean) => void
  /** Milliseconds without a page after which it ends. */
  idleMs?: number
  /** Pages after which a new one takes its place. */
  maxPages?: number
}

/** A site that asks now and then finds it warm; a machine that has nothing to render has its memory back soon. */
const IDLE_MS = 2 * 60_000

/** Chromium keeps a little of every page. */
const MAX_PAGES = 200

/** A browser, from its start to its end. */
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
      // Whoever wanted to borrow it is told.
    } finally {
      end(tenure)
    }
  }

  /** Whoever works with it may finish; nobody new gets it. */
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
    // What did not start needs no end.
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
