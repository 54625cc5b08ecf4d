import { Database } from 'bun:sqlite'

import { count, getTableColumns, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'

import { checkDatabase } from '../sqlite/backup.ts'
import { applyMigrations } from '../sqlite/migrations.ts'
import { BUSY_TIMEOUT_MS } from '../sqlite/retry-when-busy.ts'
import { toStoreError } from '../sqlite/store-error.ts'
import { type MovedTable, type Row, storableRow } from './tables.ts'

/** Rows read and written by one statement, to bound memory and keep statements short. */
export const COPY_BATCH_ROWS = 500

/** The database to move from. No other process can open it until it is disposed. */
export type MoveSource = ReturnType<typeof openMoveSource>

/** Checks the database, brings its schema up to date and locks it. @throws StoreError */
export function openMoveSource(path: string) {
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
      count: ({ source }: MovedTable) => db.select({ rows: count() }).from(source).get()!.rows,
      /** All rows of a table in batches, as PostgreSQL stores them. */
      *batches({ source }: MovedTable): Generator<Row[]> {
        const rowid = sql<number>`${source}.rowid`
        for (let last = Number.MIN_SAFE_INTEGER; ;) {
          const batch = db
            .select({ rowid, row: getTableColumns(source) })
            .from(source)
            .where(gt(rowid, last))
            .orderBy(rowid)
            .limit(COPY_BATCH_ROWS)
            .all()
          if (batch.length === 0) return
          yield batch.map(({ row }) => storableRow(row as Row))
          last = batch.at(-1)!.rowid
        }
      },
      [Symbol.dispose]: () => owned.dispose(),
    }
  } catch (error) {
    throw toStoreError(error)
  }
}
