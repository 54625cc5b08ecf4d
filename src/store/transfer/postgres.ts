import { drizzle } from 'drizzle-orm/bun-sql'

import { STORE_FAULTS, StoreError } from '../../core/store-fault.ts'
import { within } from '../deadline.ts'
import { common } from '../postgres/dialect.ts'
import { applyMigrations, type SchemaState, schemaStateOf } from '../postgres/migrations.ts'
import { storable } from '../postgres/pool.ts'
import { openSession } from '../postgres/session.ts'
import { toStoreError } from '../postgres/store-error.ts'
import type { Row, Transaction } from './tables.ts'

/** The maximum time of a statement in milliseconds, enforced by both the client and the server. */
const STATEMENT_DEADLINE_MS = 30_000

/**
 * The reasons to refuse a target, by the state of its schema. A database of an older version is not migrated, because
 * it may be in use.
 */
const REFUSED_TARGETS: Partial<Record<SchemaState, string>> = {
  older: 'the database was written by an older version of urlmeta',
  newer: STORE_FAULTS.newer.text,
  foreign: STORE_FAULTS.foreign.text,
} satisfies Record<Exclude<SchemaState, 'empty' | 'current'>, string>

/**
 * Connects to the database, brings its schema up to date and begins a transaction. An `export` reads a snapshot. The
 * transactions of the other commands are serializable: if two commands find the same database empty, the server aborts
 * one of them.
 * @throws StoreError if the database cannot be used; Error if it is empty and to be exported, or has tables of another
 * version or another program
 */
export async function openPostgresTransaction(url: string, command: 'export' | 'import' | 'move') {
  await using stack = new AsyncDisposableStack()
  const { sql: client, isReadOnly } = stack.use(await call(openSession(url, `urlmeta ${command}`)))
  if (isReadOnly && command !== 'export') throw new StoreError('read_only_user')
  // A reserved connection is not replaced when it is lost, so that no statement runs outside the transaction.
  const connection = await call(client.reserve())
  await call(connection.unsafe(`SET statement_timeout = ${STATEMENT_DEADLINE_MS}`))
  const state = await call(schemaStateOf(connection))
  if (command !== 'export') await call(requireOwnTables(connection, state))
  else if (state === 'empty') throw new Error('the database is empty')
  await applyMigrations(url)
  // The transaction is idle while the SQLite database is checked, which takes minutes if it is large, and while a pipe is full.
  await call(connection`SET idle_in_transaction_session_timeout = 0`)
  const level = command === 'export' ? 'REPEATABLE READ READ ONLY' : 'SERIALIZABLE'
  await call(connection.unsafe(`BEGIN ISOLATION LEVEL ${level}`))
  const owned = stack.move()
  return {
    kind: 'PostgreSQL',
    db: common(drizzle({ client: connection })),
    call,
    storable: storableRow,
    commit: () => call(connection`COMMIT`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  } satisfies Transaction & AsyncDisposable
}

/** Text in PostgreSQL cannot contain U+0000, which its stores replace in the same way. */
const storableRow = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, storable(value)]))

async function call<T>(statement: PromiseLike<T>): Promise<T> {
  try {
    return await within(STATEMENT_DEADLINE_MS, statement)
  } catch (error) {
    throw toStoreError(error)
  }
}

/** @throws Error if the tables belong to another version or another program */
async function requireOwnTables(connection: Bun.SQL, state: SchemaState): Promise<void> {
  const hasOthers = state === 'empty' && (await hasOtherTables(connection))
  const reason = REFUSED_TARGETS[hasOthers ? 'foreign' : state]
  if (reason !== undefined) throw new Error(`${reason}; use an empty database`)
}

/** Ignores `urlmeta_…`, the tables that track migrations. */
async function hasOtherTables(connection: Bun.SQL): Promise<boolean> {
  const found: { name: string }[] = await connection`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`
  return found.some(({ name }) => !name.startsWith('urlmeta_'))
}
