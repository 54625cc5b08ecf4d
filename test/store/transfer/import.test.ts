import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { SQL } from 'bun'
import { getTableName } from 'drizzle-orm'

import { importText } from '../../../src/store/transfer/import.ts'
import { openPostgresTransaction } from '../../../src/store/transfer/postgres.ts'
import { openSqliteTransaction } from '../../../src/store/transfer/sqlite.ts'
import {
  ALL_TABLES,
  BATCH_ROWS,
  EXPORTED_TABLES,
  type Row,
  type Transaction,
} from '../../../src/store/transfer/tables.ts'
import { type PostgresServer, startPostgres } from '../../postgres.ts'
import { describePostgres } from '../../requirements.ts'
import { temporaryDatabase } from '../temporary-sqlite.ts'
import { exportedLines, exportOf, manyDays, sampleDatabase } from './sample-export.ts'
import { PATIENT_TEST_MS } from '../../patience.ts'

/** The rows of every exported table, as SQLite stores them. */
function rowsIn(path: string): Record<string, unknown[]> {
  using database = new Database(path, { readonly: true })
  const rows = EXPORTED_TABLES.map(({ name, key }) => {
    return [name, database.query(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`).all()]
  })
  return Object.fromEntries(rows)
}

/** Copies the database at `from` to a new one, whose transaction `changed` may replace. Returns its path. */
async function copy(
  from: string,
  changed: (target: Transaction) => Transaction = (target) => target,
  onBatch = () => {},
) {
  const path = temporaryDatabase()
  using source = openSqliteTransaction(from, 'export')
  using target = openSqliteTransaction(path, 'import')
  const tables = await importText(exportOf(source), changed(target), onBatch)
  await target.commit()
  return { path, tables }
}

describe('an import into SQLite', () => {
  test('stores every row of every table, and nothing else', async () => {
    const from = sampleDatabase(
      `INSERT INTO users (id, email, plan, created_at, name, search_text) VALUES ('u', 'a@b.example', 'free', 0, 'a' || char(0) || 'b', '')`,
    )
    const { path, tables } = await copy(from)
    const expected = rowsIn(from)
    expect(rowsIn(path)).toEqual(expected)
    for (const { name, rows } of tables) expect([name, rows]).toEqual([name, expected[name]!.length])
    expect(tables.every(({ rows }) => rows > 0)).toBe(true)
    using database = new Database(path)
    for (const name of ['request_log', 'probe']) expect(database.query(`SELECT * FROM ${name}`).all()).toEqual([])
  })

  test('reports each batch', async () => {
    let batches = 0
    await copy(sampleDatabase('DELETE FROM daily_usage', manyDays(2 * BATCH_ROWS + 1)), undefined, () => batches++)
    expect(batches).toBe(EXPORTED_TABLES.length + 2)
  })

  test('has changed nothing before it is committed', async () => {
    const path = temporaryDatabase()
    using other = new Database(path)
    {
      using source = openSqliteTransaction(sampleDatabase(), 'export')
      using target = openSqliteTransaction(path, 'import')
      await importText(exportOf(source), target, () => {})
    }
    expect(other.query('SELECT * FROM users').all()).toEqual([])
  })

  test.each(['users', 'request_log', 'monthly_usage'])('is refused if %s has a row', async (table) => {
    const others = ALL_TABLES.SQLite.map(getTableName).filter((name) => name !== table && name !== 'probe')
    const path = sampleDatabase('PRAGMA foreign_keys = OFF', ...others.map((name) => `DELETE FROM ${name}`))
    using target = openSqliteTransaction(path, 'import')
    using source = openSqliteTransaction(sampleDatabase(), 'export')
    const why = `it has data (${table}); use an empty database`
    await expect(importText(exportOf(source), target, () => {})).rejects.toThrow(why)
  })

  /** Changes the rows of days that the database returns as stored. */
  const storing = (change: (rows: Row[]) => Row[]) => (target: Transaction) => ({
    ...target,
    call: async <T>(statement: PromiseLike<T>) => {
      const result = await target.call(statement)
      const isOfDays = Array.isArray(result) && result[0]?.successes !== undefined
      return (isOfDays ? change(result) : result) as T
    },
  })

  test.each<[name: string, stored: (rows: Row[]) => Row[]]>([
    ['lost', (rows) => rows.slice(1)],
    ['stored twice', (rows) => [...rows, rows[0]!]],
    ['changed', (rows) => rows.map((row) => ({ ...row, day: 'other' }))],
    ['changed from a number to its text', (rows) => rows.map((row) => ({ ...row, failures: String(row.failures) }))],
    ['changed from an empty text to null', (rows) => rows.map((row) => ({ ...row, key_id: row.key_id || null }))],
  ])('notices rows that are %s', async (_, change) => {
    const why = 'the rows of daily_usage differ in SQLite. Make sure that no server uses that database, and try again'
    await expect(copy(sampleDatabase(), storing(change))).rejects.toThrow(why)
  })

  test('does not depend on the order in which the database returns rows', async () => {
    const { tables } = await copy(
      sampleDatabase(),
      storing((rows) => rows.toReversed()),
    )
    expect(tables).toContainEqual({ name: 'daily_usage', rows: 2 })
  })

  test('ends when the report of a batch throws', () => {
    const stop = () => {
      throw new Error('stopped')
    }
    return expect(copy(sampleDatabase(), undefined, stop)).rejects.toThrow('stopped')
  })

  test('checks references between tables', async () => {
    const from = sampleDatabase('PRAGMA foreign_keys = OFF', "UPDATE api_keys SET user_id = 'nobody'")
    await expect(copy(from)).rejects.toThrow('FOREIGN KEY constraint failed')
  })
})

describePostgres('an export', (binDir) => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(binDir)
  }, PATIENT_TEST_MS)
  afterAll(() => server?.[Symbol.asyncDispose](), PATIENT_TEST_MS)

  test('is the same from SQLite and from PostgreSQL, and leads back to the same rows', async () => {
    const from = sampleDatabase(manyDays(2 * BATCH_ROWS + 1))
    const url = await server.createDatabase()
    {
      using source = openSqliteTransaction(from, 'export')
      await using target = await openPostgresTransaction(url, 'import')
      await importText(exportOf(source), target, () => {})
      await target.commit()
    }
    const back = temporaryDatabase()
    {
      await using source = await openPostgresTransaction(url, 'export')
      using target = openSqliteTransaction(back, 'import')
      await importText(exportOf(source), target, () => {})
      await target.commit()
    }
    expect(rowsIn(back)).toEqual(rowsIn(from))
    await using again = await openPostgresTransaction(url, 'export')
    const fromPostgres = (await Array.fromAsync(exportOf(again))).join('').trimEnd().split('\n')
    expect(fromPostgres[0]).toBe((await exportedLines(from))[0]!.replace('SQLite', 'PostgreSQL'))
    expect(fromPostgres.slice(1, -1)).toEqual((await exportedLines(from)).slice(1, -1))
  })

  test('from PostgreSQL is a snapshot: changes made after it has begun are not in it', async () => {
    const url = await server.createDatabase()
    {
      await using target = await openPostgresTransaction(url, 'import')
      using source = openSqliteTransaction(sampleDatabase(), 'export')
      await importText(exportOf(source), target, () => {})
      await target.commit()
    }
    await using sql = new SQL({ url, max: 1 })
    await using source = await openPostgresTransaction(url, 'export')
    const parts = exportOf(source)
    const first = (await parts.next()).value
    await sql`INSERT INTO monthly_usage VALUES ('later', '2026-11', 1)`
    const text = first + (await Array.fromAsync(parts)).join('')
    expect(text).toContain('"monthly_usage"')
    expect(text).not.toContain('later')
  })

  test('with U+0000, which PostgreSQL cannot store, is imported with U+FFFD', async () => {
    const url = await server.createDatabase()
    const from = sampleDatabase(`UPDATE users SET name = 'a' || char(0) || 'b' WHERE id = 'user-1'`)
    using source = openSqliteTransaction(from, 'export')
    await using target = await openPostgresTransaction(url, 'import')
    await importText(exportOf(source), target, () => {})
    await target.commit()
    await using sql = new SQL({ url, max: 1 })
    expect(await sql`SELECT name FROM users WHERE id = 'user-1'`.values()).toEqual([['a\uFFFDb']])
  })

  test('of a database without tables is refused', async () => {
    const url = await server.createDatabase()
    await expect(openPostgresTransaction(url, 'export')).rejects.toThrow('the database is empty')
    await using sql = new SQL({ url, max: 1 })
    expect(await sql`SELECT 1 FROM information_schema.tables WHERE table_schema = 'public'`).toHaveLength(0)
  })
})
