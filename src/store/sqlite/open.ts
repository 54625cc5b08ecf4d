import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'

import { drizzle } from 'drizzle-orm/bun-sqlite'

import { ownerOf, sqlKeyReads, sqlKeyWrites } from '../sql/keys.ts'
import { sqlRequestLog } from '../sql/request-log.ts'
import { sqlStores } from '../sql/stores.ts'
import { sqlUserReads, sqlUserWrites } from '../sql/users.ts'
import { within } from '../deadline.ts'
import { reusedCheck } from '../reused-check.ts'
import { batchPuts } from './batched-puts.ts'
import { sqliteCacheFile, type CacheOptions } from './cache-file.ts'
import { openDatabaseFile, shrink } from './database-file.ts'
import { sqliteDialect } from './dialect.ts'
import { cacheKeyOwners } from './key-owner-cache.ts'
import { applyMigrations } from './migrations.ts'
import { sqliteRequestLog } from './request-log.ts'
import { retryWhenBusy } from './retry-when-busy.ts'
import { tables } from './schema.ts'
import { faultOf, toStoreError } from './store-error.ts'
import { sqliteUsage } from './usage.ts'

/**
 * The maximum memory for pages of the database. The index that `/admin` reads to count 50,000 users has 2.4 MB. With
 * SQLite's default of 2,000 KiB, the index is read from the file each time.
 */
const PAGE_CACHE_KIB = 8_000

/**
 * The deadline of a check by `ping`, in milliseconds. A check waits for one sync, which can take seconds on a busy
 * disk.
 */
const PROBE_DEADLINE_MS = 10_000

/** Each of these values is read from an index, except `last_seen_at`, because there are few sessions. */
const NEWEST_ROW = `
  SELECT max(at) AS at FROM (
    SELECT max(created_at) AS at FROM users
    UNION ALL SELECT max(last_seen_at) FROM sessions
    UNION ALL SELECT max(at) FROM audit_log
    UNION ALL SELECT max(at) FROM request_log
    UNION ALL SELECT max(last_used_at) FROM daily_usage WHERE day = (SELECT max(day) FROM daily_usage)
  )`

/** `urlmeta.db` → `urlmeta-cache.db`, in the same directory. */
export const cachePathOf = (path: string) => path.replace(/(\.\w+)?$/, '-cache$1')

/**
 * Opens the database at `path`, creates it if it is missing, and migrates its schema. The caller disposes the stores.
 * @throws StoreError if the file cannot be opened, or if this version cannot use it
 */
export function openSqlite(path: string, options: CacheOptions) {
  using stack = new DisposableStack()
  try {
    const opened = stack.use(openDatabaseFile(path, options.thread))
    const { database, checkPlace } = opened
    database.run(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`)
    applyMigrations(database)
    // SQLite's own wait would block the event loop. From here on, `retryWhenBusy` waits.
    database.run('PRAGMA busy_timeout = 0')
    const db = drizzle(database)
    const dialect = sqliteDialect(db, tables)
    const { findOwners, ...keyReads } = sqlKeyReads(dialect)
    const version = database.query<{ data_version: number }, []>('PRAGMA data_version')
    const keyOwners = cacheKeyOwners({
      read: async (hash) => ownerOf((await findOwners([hash])).get(hash)),
      dataVersion: () => version.get()!.data_version,
      endOfTurn: setImmediate,
    })
    const guard = <Store extends object>(store: Store) => retryWhenBusy(store, checkPlace)
    // Not among the writes that clear the cache, because it is called each second and changes no property of owners.
    const { countRejected, ...keyWrites } = sqlKeyWrites(dialect)
    const cached = { ...keyOwners.invalidating(keyWrites), countRejected }
    const keys = guard({ ...keyReads, ...cached, findOwner: keyOwners.find })
    const cache = stack.use(sqliteCacheFile(cachePathOf(path), options))
    const results = stack.use(batchPuts(retryWhenBusy(cache.results)))
    const probe = reusedCheck(opened.probe)
    const newestRow = async () => database.query<{ at: number | null }, []>(NEWEST_ROW).get()!.at
    const ping = () => within(PROBE_DEADLINE_MS, probe(), 'slow_disk')
    const file = guard({ ping, newestRow, shrink: () => shrink(opened) })
    const owned = stack.move()
    return {
      ...sqlStores(dialect, guard),
      users: guard({ ...sqlUserReads(dialect), ...keyOwners.invalidating(sqlUserWrites(dialect)) }),
      keys: { ...keys, findOwner: (hash: string) => keyOwners.known(hash) ?? keys.findOwner(hash) },
      usage: guard(sqliteUsage(db)),
      requestLog: guard({ ...sqlRequestLog(dialect), ...sqliteRequestLog(db) }),
      results,
      renderedHosts: retryWhenBusy(cache.renderedHosts),
      ping: file.ping,
      /** The newest time in the rows of accounts and usage, in Unix milliseconds; null if there are no rows. */
      newestRow: file.newestRow,
      /** Returns the space of deleted rows to the file system, in small steps. */
      async shrink() {
        await file.shrink()
        await cache.shrink()
      },
      /** Copies long write-ahead logs into their files. Must be called periodically if a thread waits for the disk. */
      async checkpoint() {
        await Promise.all([opened.checkpoint(), cache.checkpoint()])
      },
      [Symbol.dispose]: () => owned.dispose(),
    }
  } catch (error) {
    throw openingError(error, path)
  }
}

/** On a read-only file system, SQLite reports only that it cannot open the file. */
function openingError(error: unknown, path: string): unknown {
  const storeError = toStoreError(error)
  if (faultOf(storeError) !== 'cannot_open') return storeError
  try {
    accessSync(dirname(path), constants.W_OK)
    return storeError
  } catch (cause) {
    return toStoreError(cause)
  }
}
