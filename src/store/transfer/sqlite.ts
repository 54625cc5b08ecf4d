import { Database } from 'bun:sqlite'

import { drizzle } from 'drizzle-orm/bun-sqlite'

import { checkDatabase } from '../sqlite/backup.ts'
import { openDatabaseFile } from '../sqlite/database-file.ts'
import { applyMigrations } from '../sqlite/migrations.ts'
import { BUSY_TIMEOUT_MS } from '../sqlite/retry-when-busy.ts'
import { toStoreError } from '../sqlite/store-error.ts'
import type { Transaction } from './tables.ts'

/** The statement that begins the transaction, by command. */
const BEGIN = { export: 'BEGIN', import: 'BEGIN IMMEDIATE', move: 'BEGIN EXCLUSIVE' } as const

/**
 * Checks the database at `path`, brings its schema up to date and begins a transaction. Other processes can keep
 * writing during an `export`, which reads a snapshot; during a `move`, they cannot open the database. An `import`
 * creates the database if it is missing.
 * @throws StoreError
 */
export function openSqliteTransaction(path: string, command: keyof typeof BEGIN) {
  using stack = new DisposableStack()
  try {
    if (command === 'import') createDatabase(path)
    checkDatabase(path)
    const database = stack.use(new Database(path, { create: false, readwrite: true, strict: true }))
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    database.run('PRAGMA foreign_keys = ON')
    // Waits until no other process has the database open, because it could write to a table that is already copied.
    if (command === 'move') database.run('PRAGMA locking_mode = EXCLUSIVE')
    applyMigrations(database)
    database.run(BEGIN[command])
    const owned = stack.move()
    return {
      kind: 'SQLite',
      db: drizzle(database),
      call: (statement) => converted(() => statement),
      storable: (row) => row,
      commit: () => converted(() => void database.run('COMMIT')),
      [Symbol.dispose]: () => owned.dispose(),
    } satisfies Transaction & Disposable
  } catch (error) {
    throw toStoreError(error)
  }
}

/** Throws errors of the database as StoreError. */
async function converted<T>(run: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw toStoreError(error)
  }
}

function createDatabase(path: string): void {
  using file = openDatabaseFile(path)
  applyMigrations(file.database)
}
