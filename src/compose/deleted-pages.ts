import type { ResultCache } from '../core/fetch/result-cache.ts'
import type { CachedReader } from '../service/lookup/cached-reader.ts'
import { repeatByTimer } from '../service/operation/sweeper.ts'

/** How often deletions of other processes are read, in milliseconds. Cached requests do not check for them. */
const CHECK_EVERY_MS = 1_000

/** Applies deletions by `urlmeta cache delete` to this process, until disposed. */
export function followDeletedPages(cache: ResultCache, reader: CachedReader, onError: (error: unknown) => void) {
  let running: Promise<void> | null = null

  async function follow() {
    // Again, because a fetch may have stored a result in the meantime.
    for (const page of await cache.deletedPages()) await reader.deletePage(page)
  }

  const check = () => {
    running ??= follow()
      .catch(onError)
      .finally(() => (running = null))
  }
  // The first check reads past earlier deletions.
  check()
  return repeatByTimer(check, CHECK_EVERY_MS)
}
