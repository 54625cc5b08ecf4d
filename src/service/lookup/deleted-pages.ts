import { messageOf } from '../../core/errors.ts'
import type { ResultCache } from '../../core/fetch/result-cache.ts'
import { periodicTask } from '../operation/periodic-task.ts'
import type { CachedReader } from './cached-reader.ts'

/**
 * How often deletions by `urlmeta cache delete` are read, in milliseconds. Requests for cached results do not check for
 * deletions.
 */
const DELETIONS_EVERY_MS = 1_000

interface DeletedPagesDeps {
  cache: Pick<ResultCache, 'deletedPages'>
  deletePage: CachedReader['deletePage']
  /** Called when deletions cannot be read or applied, once for each fault. Retries follow every second. */
  onError: (error: unknown) => void
}

/**
 * Applies the deletions of other processes to the cache of this process. The first check skips deletions from before
 * the start.
 */
export function followDeletedPages({ cache, deletePage, onError }: DeletedPagesDeps): AsyncDisposable {
  /** Pages whose deletion was read but not applied yet. Each deletion can be read only once. */
  const unapplied = new Set<string>()
  let fault = ''

  async function follow() {
    for (const page of await cache.deletedPages()) unapplied.add(page)
    for (const page of unapplied) {
      // Deletes the page again, because a fetch may have stored a result after the deletion.
      await deletePage(page)
      unapplied.delete(page)
    }
    fault = ''
  }

  function report(error: unknown) {
    if (messageOf(error) !== fault) onError(error)
    fault = messageOf(error)
  }

  const task = periodicTask(() => follow().catch(report), DELETIONS_EVERY_MS)
  task.start()
  return task
}
