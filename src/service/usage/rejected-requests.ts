import type { KeyWrites } from '../../core/accounts/ports.ts'
import { HOUR_MS } from '../../core/duration.ts'
import type { RejectedRequests } from '../../core/rejected-requests.ts'
import type { UsageHistory } from '../../core/usage/ports.ts'
import { periodicTask, type Repeat } from '../operation/periodic-task.ts'

/** How often the counts are written, in milliseconds. */
const FLUSH_EVERY_MS = 1_000

/**
 * The requests per key, process and clock hour that are in the request log. They are at most 840 in the 7 days of the log,
 * so that neither a forgotten program nor a thief displaces the 1,000 requests of the key, or those of other keys.
 */
export const LOGGED_PER_HOUR = 5

/** The keys per write. One transaction of this size takes about 5 ms of the event loop. */
const KEYS_PER_WRITE = 100

/** The keys in memory, about 2 MB. Requests with further keys are neither counted nor logged. */
const MAX_KEYS = 10_000

export interface RejectedRequestsDeps {
  keys: Pick<KeyWrites, 'countRejected'>
  usage: Pick<UsageHistory, 'addFailures'>
  repeat?: Repeat
  /** Called when counts could not be written. They are dropped. */
  onError: (error: unknown) => void
}

/**
 * Counts requests with keys that no longer work, in memory, and writes the counts once per second: no request writes to
 * the database.
 */
export function createRejectedRequests({ keys, usage, repeat, onError }: RejectedRequestsDeps) {
  const pending = new Map<string, RejectedRequests>()
  /** The requests that were logged in `hour`, by key. */
  const logged = new Map<string, number>()
  let hour = 0

  async function write() {
    const batch = [...pending.values().take(KEYS_PER_WRITE)].toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))
    if (batch.length === 0) return
    for (const { keyId } of batch) pending.delete(keyId)
    try {
      await usage.addFailures(await keys.countRejected(batch))
    } catch (error) {
      onError(error)
    }
  }

  const writes = periodicTask(write, FLUSH_EVERY_MS, repeat)

  return {
    /** Counts a request. Returns whether it belongs in the request log. */
    count({ keyId, userId }: Pick<RejectedRequests, 'keyId' | 'userId'>, atMs: number): boolean {
      const counted = pending.get(keyId)
      if (counted !== undefined) {
        counted.count++
        counted.lastAtMs = atMs
      } else if (pending.size < MAX_KEYS) {
        pending.set(keyId, { keyId, userId, count: 1, firstAtMs: atMs, lastAtMs: atMs })
      }
      if (hour !== Math.floor(atMs / HOUR_MS)) logged.clear()
      hour = Math.floor(atMs / HOUR_MS)
      const ofKey = logged.get(keyId) ?? 0
      if (ofKey === LOGGED_PER_HOUR || (ofKey === 0 && logged.size === MAX_KEYS)) return false
      logged.set(keyId, ofKey + 1)
      return true
    },

    async [Symbol.asyncDispose]() {
      await writes[Symbol.asyncDispose]()
      while (pending.size > 0) await write()
    },
  }
}
