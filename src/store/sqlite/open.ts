import { Database } from 'bun:sqlite'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'

import type { AuditLog, Identities, Keys, Sessions, Tickets, Users } from '../../core/account-ports.ts'
import type { ResultCache } from '../../core/ports.ts'
import type { Usage } from '../../core/usage-ports.ts'
import { createPrivateFile, restrictToOwner } from '../private-file.ts'
import { sqliteAuditLog } from './audit-log.ts'
import { sqliteIdentities } from './identities.ts'
import { rememberKeys } from './key-memory.ts'
import { sqliteKeys } from './keys.ts'
import { BUSY_TIMEOUT_MS, retryWhenBusy } from './retry-when-busy.ts'
import { sqliteResults } from './results.ts'
import type { Drizzle } from './schema.ts'
import { sqliteSessions } from './sessions.ts'
import { sqliteTickets } from './tickets.ts'
import { sqliteUsage } from './usage.ts'
import { sqliteUsers } from './users.ts'

/** Everything that one SQLite file remembers. Whoever opens it disposes it. */
export interface SqliteStores extends Disposable {
  users: Users
  identities: Identities
  sessions: Sessions
  tickets: Tickets
  audit: AuditLog
  keys: Keys
  usage: Usage
  results: ResultCache
  /** Resolves when the database answers; rejects with its error. */
  ping(): Promise<void>
}

/** Each process-wide setting with its reason. */
const PRAGMAS = [
  // Readers and the writer do not wait for each other, so commands work while the server runs.
  'journal_mode = WAL',
  // In WAL mode a commit survives the death of the process; only a power cut can lose the last ones, never corrupt.
  'synchronous = NORMAL',
  // SQLite leaves REFERENCES unchecked unless asked.
  'foreign_keys = ON',
]

/** Files that SQLite keeps beside a database in WAL mode. It gives new ones the permissions of the database. */
const COMPANIONS = ['-wal', '-shm']

/** In the executable the migrations lie beside the bundled code; from source, at the project's root. */
const MIGRATIONS_FOLDER = join(import.meta.dir, Bun.isStandaloneExecutable ? '' : '../../..', 'drizzle/sqlite')

/**
 * Opens (and creates) the database at `path`, or a private one for `:memory:`, and brings its schema up to date.
 * @throws when the file cannot be opened or a migration fails
 */
export function openSqlite(path: string, { maxResults }: { maxResults: number }): SqliteStores {
  if (path !== ':memory:') {
    createPrivateFile(path)
    for (const companion of COMPANIONS) restrictToOwner(path + companion)
  }
  const database = new Database(path, { create: true, strict: true })
  try {
    // While it opens, every statement, the pragmas too, may have to wait for another process.
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    for (const pragma of PRAGMAS) database.run(`PRAGMA ${pragma}`)
    const db = drizzle(database)
    applyMigrations(db)
    // From here on SQLite does not wait itself, which would stop the event loop; `patient` does.
    database.run('PRAGMA busy_timeout = 0')
    const version = database.query<{ data_version: number }, []>('PRAGMA data_version')
    const memory = rememberKeys({
      keys: sqliteKeys(db),
      dataVersion: () => version.get()!.data_version,
      endOfTurn: setImmediate,
    })
    return {
      users: retryWhenBusy(memory.forgetting(sqliteUsers(db), ['find', 'findByEmail', 'list', 'search'])),
      identities: retryWhenBusy(sqliteIdentities(db)),
      sessions: retryWhenBusy(sqliteSessions(db)),
      tickets: retryWhenBusy(sqliteTickets(db)),
      audit: retryWhenBusy(sqliteAuditLog(db)),
      keys: retryWhenBusy(memory.keys),
      usage: retryWhenBusy(sqliteUsage(db)),
      results: retryWhenBusy(sqliteResults(db, maxResults)),
      ping: async () => void db.get(sql`SELECT 1`),
      [Symbol.dispose]: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

function applyMigrations(db: Drizzle) {
  try {
    migrate(db, { migrationsFolder: MIGRATIONS_FOLDER })
  } catch {
    // drizzle reads what is applied before it takes the write lock, so another process starting at the same moment may
    // have applied the same migration in between. Looking again tells that apart from a real fault.
    migrate(db, { migrationsFolder: MIGRATIONS_FOLDER })
  }
}
