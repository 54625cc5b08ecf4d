import { stat } from 'node:fs/promises'

import type { FixedConfig } from '../config.ts'
import { BACKUP_PROGRAMS, type Database, maskedDatabaseUrl } from '../config/database.ts'
import type { AuditLog } from '../core/accounts/audit-log.ts'
import { AppError, messageOf } from '../core/errors.ts'
import type { RenderedHosts } from '../core/fetch/render-history.ts'
import type { ResultCache } from '../core/fetch/result-cache.ts'
import { messageWithCause, STORE_FAULTS, StoreError } from '../core/store-fault.ts'
import type { Usage } from '../core/usage/ports.ts'
import type { Log } from '../log.ts'
import type { AccountStores } from '../service/stores.ts'
import { PATIENT_DEADLINES } from '../store/deadline.ts'
import { memoryResultCache } from '../store/memory/result-cache.ts'
import { startDiskThread } from '../store/sqlite/disk-thread.ts'
import { openSqlite } from '../store/sqlite/open.ts'
import { createDataDir, lockDataDir } from './data/data-dir.ts'
import { requireNotMoved } from './data/move-record.ts'
import { owning } from './owning.ts'

/** The stores that both SQLite and PostgreSQL have. */
export interface Stores extends AccountStores {
  audit: AuditLog
  usage: Usage
  results: ResultCache
  renderedHosts: RenderedHosts
  /** Reads and writes the database; rejects with a StoreError. */
  ping(): Promise<void>
}

/** SQLite files in the data directory, or a PostgreSQL database. */
export interface OpenStores extends Stores, AsyncDisposable {
  /** For display. */
  database: {
    kind: Database['kind']
    /** The path of the file, or the URL without its password. */
    place: string
    /** The backup program of the database server; null for a file, which `urlmeta backup` copies. */
    backupProgram: string | null
  }
  /**
   * Whether any number of processes can use the database. The reserved quota units of a stopped process are then
   * released, so a response may only be sent after its settlement is recorded.
   */
  isShared: boolean
  /** The clock of the database server. For SQLite, the newest time in the rows. Unix milliseconds. */
  clock: { kind: 'server'; read(): Promise<number> } | { kind: 'machine'; newestRow(): Promise<number | null> }
  /** Periodic tasks by name, in addition to the sweeps of the stores. */
  housekeeping: Record<string, () => Promise<unknown>>
  databaseBytes(): Promise<number>
  /** Uses this URL, for example with a changed password, from the next statement on. Absent for SQLite. */
  setUrl?(url: string): void
  /** The size of the write-ahead log, in bytes; rejects if there is no log. */
  walBytes(): Promise<number>
}

/** How often the size of the write-ahead logs is checked, in milliseconds. */
const CHECKPOINT_MS = 1_000

/**
 * Opens the configured database and brings its schema up to date.
 * @param log passed only by a server: its main thread must not wait for the disk, and its requests have short deadlines
 * @throws AppError if the database cannot be used
 */
export async function openStores(config: FixedConfig, log: Log | null = null): Promise<OpenStores> {
  const { database, dataDir } = config
  try {
    switch (database.kind) {
      case 'SQLite':
        return await openSqliteStores(config, database.file, log)
      case 'PostgreSQL':
        return await openPostgresStores(config, database.url, log)
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const remedy = cause instanceof StoreError ? `. ${STORE_FAULTS[cause.fault].remedy}` : ''
    const where =
      'url' in database
        ? `${maskedDatabaseUrl(database.url)} (URLMETA_DATABASE_URL)`
        : `in ${dataDir} (URLMETA_DATA_DIR)`
    const reason = 'url' in database && cause instanceof StoreError ? messageWithCause(cause) : messageOf(cause)
    throw new AppError('internal', `Cannot use the database ${where}: ${reason}${remedy}`, { cause })
  }
}

async function openSqliteStores(config: FixedConfig, path: string, log: Log | null): Promise<OpenStores> {
  await using stack = new AsyncDisposableStack()
  if (log) stack.use(lockDataDir(config, 'serve'))
  else createDataDir(config)
  requireNotMoved(config)
  const onThreadEnd = () => log?.error({}, 'the thread that waits for the disk ended; starting another')
  const thread = log && startDiskThread(onThreadEnd)
  const onReplaced = (reason: string) => log?.warn({ reason }, 'the cache was replaced by an empty one')
  const options = { maxResults: config.cache.maxEntries, onReplaced, ...(thread && { thread }) }
  const sqlite = stack.use(openSqlite(path, options))
  if (thread) {
    // The thread is disposed before the files are closed.
    stack.use(thread)
    const onFailure = (err: unknown) => log.error({ err }, 'copying the write-ahead log failed; will retry')
    stack.use(setInterval(() => void sqlite.checkpoint().catch(onFailure), CHECKPOINT_MS))
  }
  // Checked again, because a move may have started in the meantime. From here on, a move waits until the database is
  // closed.
  requireNotMoved(config)
  return owning(stack, {
    ...sqlite,
    // Results can be kept in memory, because only this process stores results.
    results: memoryResultCache(sqlite.results),
    database: { kind: 'SQLite', place: path, backupProgram: null },
    isShared: false,
    clock: { kind: 'machine', newestRow: () => sqlite.newestRow() },
    housekeeping: { space: () => sqlite.shrink() },
    databaseBytes: async () => (await stat(path)).size,
    walBytes: async () => (await stat(`${path}-wal`)).size,
  })
}

async function openPostgresStores({ cache }: FixedConfig, url: string, log: Log | null): Promise<OpenStores> {
  // Imported on demand, because loading this module takes a seventh of the CPU time of a short command.
  const { openPostgres } = await import('../store/postgres/open.ts')
  // A command makes its calls one after the other.
  const options = log ? {} : { deadlines: PATIENT_DEADLINES, maxConnections: 1 }
  const postgres = await openPostgres({ url, maxResults: cache.maxEntries, ...options })
  return {
    ...postgres,
    database: { kind: 'PostgreSQL', place: maskedDatabaseUrl(url), backupProgram: BACKUP_PROGRAMS.backup },
    isShared: true,
    clock: { kind: 'server', read: () => postgres.now() },
    housekeeping: { 'reservations of stopped processes': () => postgres.sweepReservations() },
    databaseBytes: () => postgres.bytes(),
    walBytes: () => Promise.reject(new Error('the write-ahead log is on the database server')),
  }
}
