import type { Placeholder, SQL, SQLWrapper } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

/**
 * An open database, or a transaction in it. The type is SQLite's: awaiting a statement of drizzle returns the same rows
 * in both databases, but drizzle has no common type for them. The types of PostgreSQL are only converted in
 * `postgres/columns.ts` and `postgres/dialect.ts`. Statements are awaited or passed to `run`; `get` and `all` only
 * exist in SQLite.
 */
export type Drizzle = Reader & Pick<BunSQLiteDatabase, 'insert' | 'update' | 'delete'>

export type Reader = Pick<BunSQLiteDatabase, 'select' | '$count'>

/** A transaction: yields its statements, each of which was passed to `run`, and returns its result. */
export type Steps<T> = Generator<PromiseLike<unknown>, T, unknown>

/** Runs a statement of a transaction: `const rows = yield* run(tx.select()…)`. */
export function* run<T>(statement: PromiseLike<T>): Steps<T> {
  // `atomically` continues the generator with the result of the statement.
  return (yield statement) as T
}

/** Null if there is no row. */
export async function firstRow<Row>(rows: PromiseLike<readonly Row[]>): Promise<Row | null> {
  return (await rows)[0] ?? null
}

/** Whether there is a row. A statement that changes rows returns the changed rows. */
export async function hasRows(rows: PromiseLike<readonly unknown[]>): Promise<boolean> {
  return (await rows).length > 0
}

/** A database that is only read, and the conditions that differ between SQLite and PostgreSQL. */
export interface ReadDialect<Tables> {
  db: Reader
  tables: Tables
  /**
   * Whether the column has one of the values, which are passed as one parameter. A placeholder gets the values as JSON.
   */
  isAmong(column: SQLWrapper, values: readonly string[] | Placeholder): SQL
  /** Whether the text of the column contains `text`. Both texts must be case-folded. */
  contains(column: SQLWrapper, text: string): SQL
}

/** A database, and the operations that differ between SQLite and PostgreSQL. */
export interface Dialect<Tables> extends ReadDialect<Tables> {
  db: Drizzle
  /**
   * Runs the steps in one transaction that no other transaction affects. The steps wait only for their own statements,
   * because SQLite runs all steps in one turn of the event loop: its only connection must not run anything else in
   * between. If PostgreSQL detects a conflict, all steps are repeated.
   */
  atomically<T>(steps: (tx: Drizzle) => Steps<T>): Promise<T>
  /**
   * Like `atomically`, for steps that first lock all rows that they depend on. In PostgreSQL they wait in the queue for
   * the locks, while `atomically` would fail when others change the rows all the time.
   */
  withLocks<T>(steps: (tx: Drizzle) => Steps<T>): Promise<T>
  /**
   * Locks the selected rows of the table until the transaction ends. Waits for rows that are already locked, or leaves
   * them out if `skipped`.
   */
  lockRows<Select>(select: Select, table: SQLiteTable, locked?: 'skipped'): Select
  /** Deletes the rows in short transactions; returns their number. */
  sweep(table: SQLiteTable, isOld: SQL | undefined): Promise<number>
}
