import { stat } from 'node:fs/promises'

import { type Config, databasePath } from '../config.ts'
import { maskedDatabaseUrl } from '../config/database-url.ts'
import { AppError, messageOf } from '../core/errors.ts'
import { messageWithCause, STORE_FAULTS, StoreError } from '../core/store-fault.ts'
import { repeatByTimer } from '../service/operation/sweeper.ts'
import { memoryResultCache } from '../store/memory/result-cache.ts'
import { openPostgres } from '../store/postgres/open.ts'
import type { CacheLoss } from '../store/sqlite/cache-file.ts'
import { startDiskThread } from '../store/sqlite/disk-thread.ts'
import { openSqlite } from '../store/sqlite/open.ts'
import type { Stores } from '../core/stores/stores.ts'
import { createDataDir } from './data/data-dir.ts'
import { moveStateOf } from './data/move-record.ts'

/** The stores of an installation: SQLite files in the data directory, or a PostgreSQL database. */
export interface OpenStores extends Stores, AsyncDisposable {
  database: DatabaseInfo
  /**
   * Whether the reserved quota units of a stopped process are released. A response may then only be sent after its settlement is
   * recorded.
   */
  releasesReservations: boolean
  /** The clock of the database server, or, for SQLite, the newest time in its rows. In Unix milliseconds. */
  clock: { kind: 'server'; read(): Promise<number> } | { kind: 'machine'; newestRow(): Promise<number | null> }
  /** Periodic tasks by name, in addition to the sweeps of the stores. */
  housekeeping: Record<string, () => Promise<unknown>>
  databaseBytes(): Promise<number>
  /** Uses a changed password of the database server from the next statement on. */
  setUrl?(url: string): void
  /** The size of the write-ahead log; rejects if there is none. */
  walBytes(): Promise<number>
}

/** The database, for display. */
export interface DatabaseInfo {
  kind: 'SQLite' | 'PostgreSQL'
  /** The path of the file, or the URL without its password. */
  place: string
}

/** Called by the stores of a server. */
export interface StoreEvents {
  /** The cache file was replaced by an empty one. */
  onCacheReplaced: (reason: CacheLoss) => void
  onCheckpointError: (error: unknown) => void
  onDiskThreadEnd: () => void
}

/** How often the size of the write-ahead logs is checked, in milliseconds. */
const CHECKPOINT_MS = 1_000

/** The configured database. */
export function databaseInfo(config: Config): DatabaseInfo {
  const { databaseUrl } = config
  return databaseUrl === null
    ? { kind: 'SQLite', place: databasePath(config) }
    : { kind: 'PostgreSQL', place: maskedDatabaseUrl(databaseUrl) }
}

/**
 * Opens the configured database and brings its schema up to date.
 * @param events given by a server, which must not wait for the disk on its main thread
 * @throws AppError when the database cannot be used
 */
export async function openStores(config: Config, events: StoreEvents | null = null): Promise<OpenStores> {
  const { databaseUrl } = config
  const [place, variable] =
    databaseUrl === null
      ? [config.dataDir, 'URLMETA_DATA_DIR']
      : [maskedDatabaseUrl(databaseUrl), 'URLMETA_DATABASE_URL']
  try {
    return databaseUrl === null ? await openSqliteStores(config, events) : await openPostgresStores(config, databaseUrl)
  } catch (cause) {
    const remedy = cause instanceof StoreError ? `. ${STORE_FAULTS[cause.fault].remedy}` : ''
    const where = databaseUrl === null ? `in ${place}` : place
    const reason = databaseUrl !== null && cause instanceof StoreError ? messageWithCause(cause) : messageOf(cause)
    throw new AppError('internal', `Cannot use the database ${where} (${variable}): ${reason}${remedy}`, { cause })
  }
}

async function openSqliteStores(config: Config, events: StoreEvents | null): Promise<OpenStores> {
  createDataDir(config)
  requireNotMoved(config)
  const path = databasePath(config)
  await using stack = new AsyncDisposableStack()
  const thread = events && startDiskThread(events.onDiskThreadEnd)
  const sqlite = stack.use(
    openSqlite(path, {
      maxResults: config.cache.maxEntries,
      ...(events && { onReplaced: events.onCacheReplaced }),
      ...(thread && { thread }),
    }),
  )
  if (thread) {
    // Disposed before the files are closed.
    stack.use(thread)
    stack.use(repeatByTimer(() => void sqlite.checkpoint().catch(events.onCheckpointError), CHECKPOINT_MS))
  }
  // Checked again, because a move may have started in the meantime. From now on a move waits until the database is closed.
  requireNotMoved(config)
  const owned = stack.move()
  return {
    ...sqlite,
    // Only this process stores results.
    results: memoryResultCache(sqlite.results),
    database: databaseInfo(config),
    releasesReservations: false,
    clock: { kind: 'machine', newestRow: () => sqlite.newestRow() },
    housekeeping: { space: () => sqlite.shrink() },
    databaseBytes: async () => (await stat(path)).size,
    walBytes: async () => (await stat(`${path}-wal`)).size,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function requireNotMoved(config: Config) {
  const moved = moveStateOf(config)
  if (moved !== null) throw new Error(`${moved.text}. ${moved.remedy}`)
}

async function openPostgresStores(config: Config, url: string): Promise<OpenStores> {
  const postgres = await openPostgres({ url, maxResults: config.cache.maxEntries })
  return {
    ...postgres,
    database: databaseInfo(config),
    releasesReservations: true,
    clock: { kind: 'server', read: () => postgres.now() },
    housekeeping: { 'reservations of stopped processes': () => postgres.sweepReservations() },
    databaseBytes: () => postgres.bytes(),
    walBytes: () => Promise.reject(new Error('the write-ahead log is on the database server')),
  }
}
