import { Database } from 'bun:sqlite'

import { count } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'

import { checkDatabase } from '../sqlite/backup.ts'
import { applyMigrations } from '../sqlite/migrations.ts'
import { BUSY_TIMEOUT_MS } from '../sqlite/retry-when-busy.ts'
import { toStoreError } from '../sqlite/store-error.ts'
import { keyOrder, COPY_BATCH_ROWS } from './page.ts'
import type { Key, MovedTable, Row } from './tables.ts'

/** The database to move from. No other process can open it until it is disposed. */
export interface MoveSource extends Disposable {
  count(table: MovedTable): number
  /** The next rows in the order of the primary key; empty at the end. */
  readPage(table: MovedTable, after: Key | null): Row[]
}

/**
 * Checks the database, brings its schema up to date and locks it.
 * @throws StoreError
 */
export function openMoveSource(path: string): MoveSource {
  using stack = new DisposableStack()
  try {
    checkDatabase(path)
    const database = new Database(path, { create: false, readwrite: true, strict: true })
    stack.defer(() => database.close())
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    // Waits until no other process has the database open, because it could write to a table that is already copied.
    database.run('PRAGMA locking_mode = EXCLUSIVE')
    applyMigrations(database)
    database.run('BEGIN EXCLUSIVE')
    const db = drizzle(database)
    const owned = stack.move()
    return {
      count: ({ source }) => db.select({ rows: count() }).from(source).get()!.rows,
      readPage(table, after) {
        const { order, where } = keyOrder(table.source, table, after)
        const page = db
          .select()
          .from(table.source)
          .where(where)
          .orderBy(...order)
          .limit(COPY_BATCH_ROWS)
          .all()
        return page as Row[]
      },
      [Symbol.dispose]: () => owned.dispose(),
    }
  } catch (error) {
    throw toStoreError(error)
  }
}
