import { type LoggedRequest, MAX_LOGGED_REQUESTS, type RequestLog } from '../core/request-log.ts'
import type { Repeat } from './sweeper.ts'

/** How often the collected requests are written. */
const FLUSH_EVERY_MS = 1_000

/**
 * Requests of one user per write. A user with more requests sees a sample of them and cannot displace those of others.
 */
const MAX_PER_USER = 100

/** Requests per write. One transaction of this size takes 1 to 5 ms of the event loop. */
const MAX_PENDING = 250

/**
 * Collects finished requests in memory and writes them once per second. Requests beyond the bounds, and those of a
 * failed write, are dropped and counted, because the log must not slow down requests or use unbounded memory.
 */
export interface RequestRecorder extends AsyncDisposable {
  record(request: LoggedRequest): void
}

export interface RequestRecorderDeps {
  log: RequestLog
  repeat: Repeat
  /** Called with the number of requests that were dropped since the last write. */
  onDropped: (count: number) => void
  onError: (error: unknown) => void
}

export function createRequestRecorder({ log, repeat, onDropped, onError }: RequestRecorderDeps): RequestRecorder {
  let pending: LoggedRequest[] = []
  let perUser = new Map<string, number>()
  let dropped = 0
  let writing: Promise<void> | null = null

  async function write() {
    const [batch, lost] = [pending, dropped]
    pending = []
    perUser = new Map()
    dropped = 0
    if (lost > 0) onDropped(lost)
    if (batch.length === 0) return
    try {
      await log.append(batch, MAX_LOGGED_REQUESTS)
    } catch (error) {
      onDropped(batch.length)
      onError(error)
    }
  }

  // A slow write delays the next one; the requests in between are subject to the same bounds.
  const flush = () => {
    writing ??= write().finally(() => (writing = null))
  }
  const timer = repeat(flush, FLUSH_EVERY_MS)

  return {
    record(request) {
      const ofUser = perUser.get(request.userId) ?? 0
      if (ofUser >= MAX_PER_USER || pending.length >= MAX_PENDING) {
        dropped++
        return
      }
      perUser.set(request.userId, ofUser + 1)
      pending.push(request)
    },

    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]()
      await writing
      await write()
    },
  }
}
