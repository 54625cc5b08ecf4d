import { readyAtMs, type LoadProgress, type DocumentState } from './readiness.ts'

export type PageProgress = ReturnType<typeof trackPage>

export function trackPage() {
  const progress: LoadProgress = { documentState: null, changedAtMs: 0, loadedAtMs: 0, loading: 0 }
  let isFinished = false
  let onChange = () => {}

  return {
    /** The last report of page-watch.js. */
    get documentState() {
      return progress.documentState
    },
    update(documentState: DocumentState) {
      progress.documentState = documentState
      progress.changedAtMs = performance.now()
      onChange()
    },
    /** Called when a request that may affect the metadata starts. */
    requestStarted() {
      progress.loading++
      onChange()
    },
    /** Called when a request that may affect the metadata has finished or failed. */
    requestEnded() {
      progress.loading--
      progress.loadedAtMs = performance.now()
      onChange()
    },
    /** Stops waiting: the page is read in its current state. */
    finish() {
      isFinished = true
      onChange()
    },
    /** Resolves when the page is ready, `finish` was called, or `signal` aborts. */
    untilReady(signal: AbortSignal) {
      const { promise, resolve } = Promise.withResolvers<void>()
      let timer: Timer | undefined
      onChange = () => {
        clearTimeout(timer)
        const waitMs = isFinished ? 0 : (readyAtMs(progress) ?? Infinity) - performance.now()
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
