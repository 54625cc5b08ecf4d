import { LRUCache } from 'lru-cache'

import { MINUTE_MS } from '../../core/duration.ts'
import { FetchError } from '../../core/errors.ts'
import type { ReadTexts } from '../../core/fetch/ports.ts'
import { startThread, type Thread, type ThreadDeps, type ThreadEnd } from './thread.ts'

export interface Pool extends AsyncDisposable {
  read: ReadTexts
  configure(): void
  /** `restarts` is the number of workers that had to be replaced. */
  status(): { workers: number; restarts: number }
}

/** After a page ended a worker, pages of its host are not read for this time, in milliseconds. */
const REMEMBERED_MS = MINUTE_MS

/** A host is remembered when a worker ends. Workers never end this often in a minute. */
const MAX_REMEMBERED = 1_000

/**
 * Starts `count` workers, and waits until they can read pages. A host always has the same worker, so that its DNS
 * answers, connections, TLS sessions and favicons are kept once. Redirects stay in the worker of the first host. A
 * worker that ends is replaced.
 */
export async function startPool<Settings>(
  count: number,
  deps: ThreadDeps<Settings>,
  onRestart: (end: ThreadEnd) => void,
): Promise<Pool> {
  const remembered = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS })
  const threads: (Thread | null)[] = []
  let restarts = 0
  /** Random, so that nobody can choose hosts that share a worker with those of somebody else. */
  const seed = crypto.getRandomValues(new Uint32Array(1))[0]!

  function start(index: number): Thread {
    return (threads[index] = startThread(deps, (end) => {
      restarts++
      if (end.host !== null) remembered.set(end.host, true)
      threads[index] = null
      onRestart(end)
      // A worker that cannot start is started again only when it is needed.
      if (end.wasReady) start(index)
    }))
  }
  await Promise.all(Array.from({ length: count }, (_, index) => start(index).started))

  return {
    async read(url, ...rest) {
      if (remembered.has(url.hostname)) throw new FetchError('not_processed')
      const index = Bun.hash.xxHash32(url.hostname, seed) % count
      return (threads[index] ?? start(index)).read(url, ...rest)
    },
    configure: () => threads.forEach((thread) => thread?.configure()),
    status: () => ({ workers: count, restarts }),
    async [Symbol.asyncDispose]() {
      for (const thread of threads) thread?.[Symbol.dispose]()
    },
  }
}
