import { settlesAtMs, type Progress, type Sight } from './settling.ts'

/** Tracks a page until its metadata is ready. */
export interface PageProgress {
  /** The last report of page-watch.js. */
  readonly sight: Sight | null
  see(sight: Sight): void
  /** A request that may bring metadata starts. */
  load(): void
  /** One of them has finished or failed. */
  loaded(): void
  /** Stops waiting: the page is read as it is. */
  finish(): void
  /** Resolves when the page is ready, `finish` was called, or `signal` aborts. */
  settled(signal: AbortSignal): Promise<void>
}

export function followPage(): PageProgress {
  const progress: Progress = { sight: null, changedAtMs: 0, loadedAtMs: 0, loading: 0 }
  let isFinished = false
  let onChange = () => {}

  const settlesInMs = () => (isFinished ? 0 : (settlesAtMs(progress) ?? Number.POSITIVE_INFINITY) - performance.now())

  return {
    get sight() {
      return progress.sight
    },
    see(sight) {
      progress.sight = sight
      progress.changedAtMs = performance.now()
      onChange()
    },
    load() {
      progress.loading++
      onChange()
    },
    loaded() {
      progress.loading--
      progress.loadedAtMs = performance.now()
      onChange()
    },
    finish() {
      isFinished = true
      onChange()
    },
    settled(signal) {
      const { promise, resolve } = Promise.withResolvers<void>()
      let timer: Timer | undefined
      onChange = () => {
        clearTimeout(timer)
        const waitMs = settlesInMs()
        if (waitMs <= 0 || signal.aborted) resolve()
        else if (Number.isFinite(waitMs)) timer = setTimeout(resolve, waitMs)
      }
      signal.addEventListener('abort', onChange, { once: true })
      onChange()
      return promise.finally(() => {
        signal.removeEventListener('abort', onChange)
        clearTimeout(timer)
        onChange = () => {}
      })
    },
  }
}
