import { renameSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'

import { drizzle } from 'drizzle-orm/bun-sqlite'

import { attempt } from '../../core/attempt.ts'
import type { RenderedHosts } from '../../core/fetch/render-history.ts'
import type { StoreFault } from '../../core/store-fault.ts'
import type { BatchResultCache } from './batched-puts.ts'
import { CACHE_TABLES, CACHE_VERSION, CREATE_CACHE } from './cache-schema.ts'
import { createPrivateFile } from '../files/private-file.ts'
import { sqlRenderedHosts } from '../sql/rendered-hosts.ts'
import type { DiskThread } from './disk-thread.ts'
import { type DatabaseFile, openDatabaseFile, pageCounts, shrink } from './database-file.ts'
import { sqliteDialect } from './dialect.ts'
import { sqliteResults } from './results.ts'
import { WAL_SUFFIXES } from './wal-files.ts'
import { faultOf } from './store-error.ts'

/**
 * A cache with fewer used pages and more free pages than this is compacted: 4 MB, which takes about 10 ms to copy, in a
 * file of more than 64 MB. A file is in this state if a server was stopped for so long that most results have expired.
 */
const MAX_COMPACTED_PAGES = 1_024
const MIN_COMPACTED_FREE_PAGES = 16_384

export interface CacheOptions {
  maxResults: number
  /** The thread that syncs files to disk; default: the main thread. */
  thread?: DiskThread
  /** Called after the cache was replaced by an empty cache. */
  onReplaced?: (reason: CacheLoss) => void
}

const REPLACED_FAULTS = ['damaged', 'not_a_database', 'missing'] as const satisfies readonly StoreFault[]

/** Why a cache was replaced: its file is faulty, or another version wrote it. */
export type CacheLoss = (typeof REPLACED_FAULTS)[number] | 'other_version'

type OpenCache = ReturnType<typeof openCache>

/**
 * Results and rendered hosts, in a file beside the database, so that damage to it affects neither accounts nor usage. A
 * damaged or deleted file is replaced by an empty file. The file is opened at its first use, because most commands need
 * no cache. Disposing closes the file.
 */
export function sqliteCacheFile(path: string, options: CacheOptions) {
  let open: OpenCache | null = null

  function close() {
    open?.file[Symbol.dispose]()
    open = null
  }

  function current(): OpenCache {
    open ??= openCache(path, options)
    open.file.checkPlace()
    return open
  }

  /** Replaces the file by a copy without free pages. No other process has the file open while the server runs. */
  async function compact({ database, running }: DatabaseFile) {
    // If a checkpoint is in progress, the next sweep compacts the file.
    if (running() !== null) return
    const [copy, old] = [`${path}.compact`, `${path}.old`]
    for (const file of [copy, old]) rmSync(file, { force: true })
    createPrivateFile(copy)
    database.query('VACUUM INTO ?').run(copy)
    close()
    renameSync(path, old)
    for (const suffix of WAL_SUFFIXES) rmSync(path + suffix, { force: true })
    renameSync(copy, path)
    // Asynchronous, because deleting gigabytes takes a while.
    await rm(old, { force: true })
  }

  async function withRebuild<T>(run: (cache: OpenCache) => T | Promise<T>): Promise<T> {
    let used = open
    try {
      used = current()
      return await run(used)
    } catch (error) {
      const fault = REPLACED_FAULTS.find((one) => one === faultOf(error))
      if (!fault) throw error
      await used?.file.running()
      // A concurrent operation may already have replaced the file.
      if (open === used) {
        close()
        removeCache(path)
        open = openCache(path, options)
        options.onReplaced?.(fault)
      }
      return await run(current())
    }
  }

  const results: BatchResultCache = {
    get: (cacheKey, lookup) => withRebuild((cache) => cache.results.get(cacheKey, lookup)),
    putAll: (batch) => withRebuild((cache) => cache.results.putAll(batch)),
    count: () => withRebuild((cache) => cache.results.count()),
    sweep: (before, after) => withRebuild((cache) => cache.results.sweep(before, after)),
    variantsOf: (page) => withRebuild((cache) => cache.results.variantsOf(page)),
    deletePage: (page, announce) => withRebuild((cache) => cache.results.deletePage(page, announce)),
    deletedPages: () => withRebuild((cache) => cache.results.deletedPages()),
  }
  const renderedHosts: RenderedHosts = {
    list: () => withRebuild((cache) => cache.renderedHosts.list()),
    put: (host) => withRebuild((cache) => cache.renderedHosts.put(host)),
    delete: (host) => withRebuild((cache) => cache.renderedHosts.delete(host)),
    sweep: (before, after) => withRebuild((cache) => cache.renderedHosts.sweep(before, after)),
  }
  return {
    results,
    renderedHosts,
    /** Returns free space to the file system, in small steps. */
    shrink: () =>
      withRebuild(async ({ file }) => {
        const { used, free } = pageCounts(file.database)
        const isCompacted = used <= MAX_COMPACTED_PAGES && free >= MIN_COMPACTED_FREE_PAGES
        await (isCompacted ? compact(file) : shrink(file))
      }),
    /** Copies a long write-ahead log into the file. */
    checkpoint: async () => open?.file.checkpoint(),
    [Symbol.dispose]() {
      // If this fails, the write-ahead log still contains the results. The connection itself is closed when its
      // statements are collected as garbage.
      attempt(() => open?.file.database.run('PRAGMA wal_checkpoint(TRUNCATE)'))
      close()
    },
  }
}

function openCache(path: string, options: CacheOptions) {
  const { maxResults, onReplaced, thread } = options
  let file = openDatabaseFile(path, thread)
  try {
    const version = file.database.query<{ user_version: number }, []>('PRAGMA user_version').get()!.user_version
    if (version !== 0 && version !== CACHE_VERSION) {
      file[Symbol.dispose]()
      removeCache(path)
      file = openDatabaseFile(path, thread)
      onReplaced?.('other_version')
    }
    for (const statement of CREATE_CACHE) file.database.run(statement)
    file.database.run('PRAGMA busy_timeout = 0')
    const renderedHosts = sqlRenderedHosts(sqliteDialect(drizzle(file.database), CACHE_TABLES))
    return { file, results: sqliteResults(file.database, maxResults), renderedHosts }
  } catch (error) {
    file[Symbol.dispose]()
    throw error
  }
}

function removeCache(path: string) {
  for (const suffix of ['', ...WAL_SUFFIXES]) rmSync(path + suffix, { force: true })
}
