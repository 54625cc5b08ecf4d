import type { ResultCache } from '../core/fetch/result-cache.ts'
import type { CachedReader } from '../service/lookup/cached-reader.ts'
import { periodicTask } from '../service/operation/periodic-task.ts'

/** How often deletions of other processes are read, in milliseconds. Cached requests do not check for them. */
const CHECK_EVERY_MS = 1_000

/** Applies deletions by `urlmeta cache delete` to this process, until disposed. */
export function followDeletedPages(cache: ResultCache, reader: CachedReader, onError: (error: unknown) => void) {
  async function follow() {
    // Again, because a fetch may have stored a result in the meantime.
    for (const page of await cache.deletedPages()) await reader.deletePage(page)
  }

  const checks = periodicTask(() => follow().catch(onError), CHECK_EVERY_MS)
  // The first check reads past earlier deletions.
  checks.start()
  return checks
}
