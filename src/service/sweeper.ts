import type { ResultCache } from '../core/ports.ts'

/** Expired results only take room, so dropping them can wait; ten minutes keep each sweep short. */
const SWEEP_EVERY_MS = 10 * 60_000

export interface SweeperParts {
  cache: ResultCache
  ttlMs: number
  /** Unix milliseconds. */
  now: () => number
  onFault: (error: unknown) => void
}

/** Drops expired results now and then, until disposed. */
export function startSweeper({ cache, ttlMs, now, onFault }: SweeperParts): AsyncDisposable {
  let sweep = Promise.resolve<unknown>(null)
  const start = () => (sweep = cache.sweep(now() - ttlMs).catch(onFault))
  start()
  const timer = setInterval(start, SWEEP_EVERY_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await sweep
    },
  }
}
