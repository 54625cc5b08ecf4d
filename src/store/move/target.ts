import { getTableName, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sql'

import { STORE_FAULTS } from '../../core/store-fault.ts'
import { within } from '../deadline.ts'
import { applyMigrations, type SchemaState, schemaStateOf } from '../postgres/migrations.ts'
import { createClient } from '../postgres/pool.ts'
import { type Drizzle, tables } from '../postgres/schema.ts'
import { toStoreError } from '../postgres/store-error.ts'
import { type MovedTable, type Row, targetTables } from './tables.ts'

/** The maximum time of a statement in milliseconds, enforced by both the client and the server. */
const STATEMENT_DEADLINE_MS = 30_000

/** A transaction in the database to move into. Unless it is committed, disposing it leaves the tables empty. */
export type MoveTarget = Awaited<ReturnType<typeof openMoveTarget>>

/**
 * Connects to the database, creates the tables and begins a transaction.
 * @throws StoreError when the database cannot be used; another error when it is not empty, and then nothing is changed
 */
export async function openMoveTarget(url: string) {
  await using stack = new AsyncDisposableStack()
  const client = createClient(url, 'urlmeta move', { max: 1 })
  stack.defer(() => client.close({ timeout: 0 }))
  // A reserved connection is not replaced when it is lost, so that no statement runs outside the transaction.
  const connection = await call(client.reserve())
  await call(connection.unsafe(`SET statement_timeout = ${STATEMENT_DEADLINE_MS}`))
  const db = drizzle({ client: connection })
  await call(requireOwnTables(connection))
  await applyMigrations(url)
  // The transaction is idle while the SQLite database is checked, which takes minutes if it is large.
  await call(connection`SET idle_in_transaction_session_timeout = 0`)
  // Serializable: of two moves into one database, which both find it empty, the server aborts one.
  await call(db.execute(sql`BEGIN ISOLATION LEVEL SERIALIZABLE`))
  await call(requireEmpty(db))
  const owned = stack.move()
  return {
    /** Writes the rows, and returns them as they are stored. */
    async write({ target }: MovedTable, rows: Row[]): Promise<Row[]> {
      return (await call(db.insert(target).values(rows).returning())) as Row[]
    },
    commit: () => call(db.execute(sql`COMMIT`)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function call<T>(statement: PromiseLike<T>): Promise<T> {
  try {
    return await within(STATEMENT_DEADLINE_MS, statement)
  } catch (error) {
    throw toStoreError(error)
  }
}

/** Why a database with this schema is refused. One of an older version may be in use, so it is not migrated. */
const REFUSED: Partial<Record<SchemaState, string>> = {
  older: 'the database was written by an older version of urlmeta',
  newer: STORE_FAULTS.newer.text,
  foreign: STORE_FAULTS.foreign.text,
} satisfies Record<Exclude<SchemaState, 'empty' | 'current'>, string>

/** @throws when the tables belong to another version or another program */
async function requireOwnTables(connection: Bun.SQL): Promise<void> {
  const state = await schemaStateOf(connection)
  const hasOthers = state === 'empty' && (await hasOtherTables(connection))
  const reason = REFUSED[hasOthers ? 'foreign' : state]
  if (reason !== undefined) throw new Error(`${reason}; use an empty database`)
}

/** Ignores `urlmeta_…`, the tables that track migrations. */
async function hasOtherTables(connection: Bun.SQL): Promise<boolean> {
  const found: { name: string }[] = await connection`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`
  return found.some(({ name }) => !name.startsWith('urlmeta_'))
}

/** @throws when any table has a row, except the table of `/readyz` */
async function requireEmpty(db: Drizzle): Promise<void> {
  const used: string[] = []
  for (const table of targetTables()) {
    if (getTableName(table) === getTableName(tables.probe)) continue
    const found = await db.select().from(table).limit(1)
    if (found.length > 0) used.push(getTableName(table))
  }
  if (used.length > 0) throw new Error(`it has data (${used.toSorted().join(', ')}); use an empty database`)
}
