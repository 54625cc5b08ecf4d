import { eq, getTableName, sql } from 'drizzle-orm'

import { STORE_FAULTS } from '../../core/store-fault.ts'
import { applyMigrations, type SchemaState, schemaStateOf } from '../postgres/migrations.ts'
import { openPool } from '../postgres/pool.ts'
import { type Drizzle, movedTables as progressTable, probe } from '../postgres/schema.ts'
import { toStoreError } from '../postgres/store-error.ts'
import { serializable } from '../postgres/transaction.ts'
import type { Checksum } from './checksum.ts'
import { keyOrder, COPY_BATCH_ROWS } from './page.ts'
import { type Key, type MovedTable, type Row, targetTables } from './tables.ts'

/** The database has data that is not from this move; the message says which. */
export class TargetInUseError extends Error {
  override name = 'TargetInUseError'
}

/** The progress of one table. */
export interface TableProgress {
  /** Rows copied so far. */
  rows: number
  lastKey: Key | null
  /** Null until all tables are verified. */
  checksum: string | null
}

/** The database to move into. */
export interface MoveTarget extends AsyncDisposable {
  /**
   * Starts or continues the move with this id. Returns the progress by table name.
   * @throws TargetInUseError
   */
  begin(moveId: string, tables: readonly MovedTable[]): Promise<Map<string, TableProgress>>
  /** Writes rows and the progress in one transaction. */
  write(table: MovedTable, rows: readonly Row[], progress: { rows: number; lastKey: Key }): Promise<void>
  readPage(table: MovedTable, after: Key | null): Promise<Row[]>
  /** Records that all tables are verified. */
  finish(checksums: ReadonlyMap<string, Checksum>): Promise<void>
}

/**
 * Connects to the database and creates the tables.
 * @throws StoreError when the database cannot be used; TargetInUseError when it has other tables, which are not changed
 */
export async function openMoveTarget(url: string): Promise<MoveTarget> {
  await requireOwnTables(url)
  await applyMigrations(url)
  const pool = openPool(url)
  const { db } = pool
  const { begin, ...statements } = pool.guard({
    begin: (moveId: string, tables: readonly MovedTable[]) => serializable(db, (tx) => beginIn(tx, moveId, tables)),

    write: (table: MovedTable, rows: readonly Row[], progress: { rows: number; lastKey: Key }) =>
      db.transaction(async (tx) => {
        // An existing row was written by an earlier attempt of this move. The checksums detect any other row.
        await tx
          .insert(table.target)
          .values([...rows])
          .onConflictDoNothing()
        const lastKey = JSON.stringify(progress.lastKey)
        const isTable = eq(progressTable.tableName, table.name)
        await tx.update(progressTable).set({ rows: progress.rows, lastKey }).where(isTable)
      }),

    async readPage(table: MovedTable, after: Key | null) {
      const { order, where } = keyOrder(table.target, table, after)
      const page = await db
        .select()
        .from(table.target)
        .where(where)
        .orderBy(...order)
        .limit(COPY_BATCH_ROWS)
      return page as Row[]
    },

    finish: (checksums: ReadonlyMap<string, Checksum>) =>
      db.transaction(async (tx) => {
        for (const [name, { checksum, rows }] of checksums) {
          await tx.update(progressTable).set({ checksum, rows }).where(eq(progressTable.tableName, name))
        }
      }),
  })
  return { begin, ...statements, [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() }
}

/** Why a database with this schema is refused. One of an older version may be in use, so it is not migrated. */
const REFUSED: Record<SchemaState, string | null> = {
  empty: null,
  current: null,
  older: 'the database was written by an older version of urlmeta',
  newer: STORE_FAULTS.newer.text,
  foreign: STORE_FAULTS.foreign.text,
}

/** @throws TargetInUseError when the tables belong to another version or another program */
async function requireOwnTables(url: string): Promise<void> {
  const client = new Bun.SQL({ url, adapter: 'postgres', max: 1, connectionTimeout: 5 })
  try {
    const state = await schemaStateOf(client)
    const hasOthers = state === 'empty' && (await hasOtherTables(client))
    const reason = REFUSED[hasOthers ? 'foreign' : state]
    if (reason !== null) throw new TargetInUseError(`${reason}; use an empty database`)
  } catch (error) {
    throw toStoreError(error)
  } finally {
    await client.close({ timeout: 0 })
  }
}

/** Ignores `urlmeta_…`, the tables that track migrations. */
async function hasOtherTables(client: Bun.SQL): Promise<boolean> {
  const tables: { name: string }[] = await client`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`
  return tables.some(({ name }) => !name.startsWith('urlmeta_'))
}

async function beginIn(
  tx: Drizzle,
  moveId: string,
  tables: readonly MovedTable[],
): Promise<Map<string, TableProgress>> {
  const existing = await tx.select().from(progressTable)
  if (existing.length === 0) {
    await requireEmpty(tx)
    const rows = tables.map(({ name }) => ({ tableName: name, moveId, rows: 0 }))
    await tx.insert(progressTable).values(rows)
    return new Map(tables.map(({ name }) => [name, { rows: 0, lastKey: null, checksum: null }]))
  }
  if (existing.some((row) => row.moveId !== moveId)) {
    throw new TargetInUseError('it has the data of another move; recreate it (dropdb, createdb)')
  }
  return new Map(
    existing.map(({ tableName, rows, lastKey, checksum }) => [
      tableName,
      { rows, lastKey: lastKey === null ? null : (JSON.parse(lastKey) as Key), checksum },
    ]),
  )
}

/** @throws TargetInUseError when any table has a row */
async function requireEmpty(tx: Drizzle): Promise<void> {
  const used: string[] = []
  for (const table of targetTables()) {
    if (getTableName(table) === getTableName(probe)) continue
    const found = await tx
      .select({ one: sql`1` })
      .from(table)
      .limit(1)
    if (found.length > 0) used.push(getTableName(table))
  }
  if (used.length > 0) throw new TargetInUseError(`it has data (${used.join(', ')}); use an empty database`)
}
