import {
  type LoggedRequest,
  MAX_LOGGED_OF_KEY,
  MAX_LOGGED_OF_USER,
  type RequestLog,
} from '../../core/usage/request-log.ts'
import { periodicTask, type Repeat } from '../operation/periodic-task.ts'

/** How often the collected requests are written, in milliseconds. */
const FLUSH_EVERY_MS = 1_000

/**
 * Requests of one user per write. A user with more requests sees a sample, and cannot displace the requests of others.
 */
const MAX_PER_USER = 100

/** Requests of all users per write. One transaction of this size takes 2 to 12 ms of the event loop. */
const MAX_PENDING = 250

/** Trimming takes longer than writing, so a log is trimmed, on average, when it exceeds its limit by this fraction. */
const TRIM_FRACTION = 0.1

export interface RequestRecorderDeps {
  log: RequestLog
  repeat?: Repeat
  /** A number from 0 to 1, which selects the logs to trim, so that no state per user is needed. */
  random: () => number
  /** Called with the number of requests that were dropped since the last write. */
  onDropped: (count: number) => void
  onError: (error: unknown) => void
}

/**
 * Collects finished requests in memory and writes them once per second. Requests beyond the bounds, and requests whose
 * write failed, are dropped and counted, because the log must not slow down requests or use unbounded memory.
 */
export function createRequestRecorder(deps: RequestRecorderDeps) {
  const { log, repeat, random, onDropped, onError } = deps
  let pending: LoggedRequest[] = []
  let perUser = new Map<string, number>()
  let dropped = 0

  /** Trims logs to `keep` requests. Selects the logs by the keys or users of randomly chosen requests. */
  async function trim(owner: 'keyId' | 'userId', requests: readonly LoggedRequest[], keep: number) {
    const chosen = requests.filter(() => random() * keep * TRIM_FRACTION < 1)
    if (chosen.length > 0) await log.trim(owner, [...new Set(chosen.map((request) => request[owner]))], keep)
  }

  async function write() {
    const [batch, lost] = [pending, dropped]
    pending = []
    perUser = new Map()
    dropped = 0
    if (lost > 0) onDropped(lost)
    if (batch.length === 0) return
    try {
      await log.append(batch)
    } catch (error) {
      onDropped(batch.length)
      return onError(error)
    }
    try {
      await trim('keyId', batch, MAX_LOGGED_OF_KEY)
      await trim('userId', batch, MAX_LOGGED_OF_USER)
    } catch (error) {
      onError(error)
    }
  }

  // A slow write delays the next write. The requests in between are subject to the same bounds.
  const writes = periodicTask(write, FLUSH_EVERY_MS, repeat)

  return {
    /** `request` is only called if the request is kept. */
    record(userId: string, request: () => LoggedRequest) {
      const ofUser = perUser.get(userId) ?? 0
      if (ofUser >= MAX_PER_USER || pending.length >= MAX_PENDING) {
        dropped++
        return
      }
      perUser.set(userId, ofUser + 1)
      pending.push(request())
    },

    async [Symbol.asyncDispose]() {
      await writes[Symbol.asyncDispose]()
      await write()
    },
  }
}
