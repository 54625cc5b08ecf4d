import { rmSync } from 'node:fs'

import { drizzle } from 'drizzle-orm/bun-sqlite'

import type { BatchResultCache } from './batched-puts.ts'
import { CACHE_VERSION, CREATE_CACHE } from './cache-schema.ts'
import { WAL_SUFFIXES, type DatabaseFile, IN_MEMORY, openDatabaseFile, shrink } from './database-file.ts'
import { sqliteResults } from './results.ts'
import { hasFault } from './store-error.ts'

/** A cache in a file; disposing it closes the file. */
export interface CacheFile extends Disposable {
  results: BatchResultCache
  /** Returns free space to the file system, in small steps. */
  shrink(): Promise<void>
}

interface OpenCache {
  file: DatabaseFile
  results: BatchResultCache
}

/**
 * The result cache, in a file beside the database, so that damage to it affects neither accounts nor usage. A damaged or
 * deleted file is replaced by an empty one. It is opened at its first use, because most commands need no cache.
 */
export function sqliteCacheFile(path: string, maxResults: number): CacheFile {
  let open: OpenCache | null = null

  function close() {
    open?.file[Symbol.dispose]()
    open = null
  }

  function current(): OpenCache {
    open ??= openCache(path, maxResults)
    open.file.checkPlace()
    return open
  }

  async function withRebuild<T>(run: (cache: OpenCache) => Promise<T>): Promise<T> {
    try {
      return await run(current())
    } catch (error) {
      if (!hasFault(error, 'damaged', 'not_a_database', 'foreign', 'missing')) throw error
      close()
      removeCache(path)
      return await run(current())
    }
  }

  return {
    results: {
      get: (cacheKey, options) => withRebuild(({ results }) => results.get(cacheKey, options)),
      putAll: (batch) => withRebuild(({ results }) => results.putAll(batch)),
      count: () => withRebuild(({ results }) => results.count()),
      sweep: (before, after) => withRebuild(({ results }) => results.sweep(before, after)),
    },
    shrink: () => withRebuild(({ file }) => shrink(file.database)),
    [Symbol.dispose]: close,
  }
}

function openCache(path: string, maxResults: number): OpenCache {
  let file = openDatabaseFile(path)
  const version = file.database.query<{ user_version: number }, []>('PRAGMA user_version').get()!.user_version
  if (version !== 0 && version !== CACHE_VERSION) {
    file[Symbol.dispose]()
    removeCache(path)
    file = openDatabaseFile(path)
  }
  try {
    for (const statement of CREATE_CACHE) file.database.run(statement)
    file.database.run('PRAGMA busy_timeout = 0')
    return { file, results: sqliteResults(drizzle(file.database), maxResults) }
  } catch (error) {
    file[Symbol.dispose]()
    throw error
  }
}

function removeCache(path: string) {
  if (path === IN_MEMORY) return
  for (const suffix of ['', ...WAL_SUFFIXES]) rmSync(path + suffix, { force: true })
}
