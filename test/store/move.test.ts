import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/sqlite-core'

import { Checksum } from '../../src/store/move/checksum.ts'
import { copyTables, type MovedRows } from '../../src/store/move/move.ts'
import { COPY_BATCH_ROWS, openMoveSource } from '../../src/store/move/source.ts'
import type { MoveTarget } from '../../src/store/move/target.ts'
import { movedTables, NOT_MOVED, type Row, storableRow, targetTables } from '../../src/store/move/tables.ts'
import { copyDatabase } from '../../src/store/sqlite/backup.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'

const folder = mkdtempSync(join(tmpdir(), 'urlmeta-move-'))
afterAll(() => rmSync(folder, { recursive: true }))

const tables = movedTables()

const EMPTY = join(folder, 'empty.db')
openSqlite(EMPTY, { maxResults: 1 })[Symbol.dispose]()

/** A new, empty database that this process has not opened: drizzle's statements keep a closed one open for a while. */
function newDatabase(name: string): string {
  const path = join(folder, name)
  copyDatabase(EMPTY, `${path}.draft`, path)
  return path
}

describe('the list of moved tables', () => {
  test('has every table of a migrated SQLite database, except the listed ones', () => {
    using database = new Database(EMPTY)
    const inFile = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all()
      .map(({ name }) => name)
      .filter((name) => name !== '__drizzle_migrations' && !NOT_MOVED.includes(name))
    expect(tables.map(({ name }) => name).toSorted()).toEqual(inFile.toSorted())
  })

  test('includes every PostgreSQL table that has rows to move', () => {
    const names = tables.map(({ name }) => name)
    const others = targetTables()
      .map(getTableName)
      .filter((name) => !names.includes(name))
    expect(others.toSorted()).toEqual([
      'metering_processes',
      'probe',
      'rendered_hosts',
      'request_log',
      'results',
      'usage_reservations',
    ])
  })

  test.each(tables.map((table) => [table.name, table] as const))('%s: both have the same columns', (_, table) => {
    const [source, target] = [getTableColumns(table.source), getTableColumns(table.target)]
    expect(Object.keys(target)).toEqual(Object.keys(source))
    for (const [property, column] of Object.entries(source)) {
      const { name: columnName, notNull, primary } = target[property]!
      expect([property, columnName, notNull, primary]).toEqual([property, column.name, column.notNull, column.primary])
    }
  })

  test.each(tables.map((table, i) => [table.name, table, i] as const))(
    '%s follows the tables that it references',
    (_, table, i) => {
      const before = tables.slice(0, i).map(({ name }) => name)
      const referenced = getTableConfig(table.source).foreignKeys.map((key) =>
        getTableName(key.reference().foreignTable),
      )
      expect(referenced.filter((name) => !before.includes(name))).toEqual([])
    },
  )
})

describe('batches of a table', () => {
  const daily = tables.find(({ name }) => name === 'daily_usage')!

  test.each([0, 1, COPY_BATCH_ROWS, COPY_BATCH_ROWS + 1, 2 * COPY_BATCH_ROWS])(
    'of %d rows have each row once',
    async (rows) => {
      const path = newDatabase(`${rows}.db`)
      {
        using database = new Database(path)
        database.run(
          `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
         INSERT INTO daily_usage SELECT 'u' || (i / 350), CASE i % 350 / 150 WHEN 0 THEN '' ELSE 'ключ' || (i % 350 / 150) END,
           'day' || (i % 350), i, 0, 0, i FROM n WHERE ?1 > 0`,
          [rows],
        )
      }
      using source = openMoveSource(path)
      expect(source.count(daily)).toBe(rows)
      const seen: string[] = []
      for (const batch of source.batches(daily)) {
        expect(batch.length).toBeLessThanOrEqual(COPY_BATCH_ROWS)
        seen.push(...batch.map(({ userId, keyId, day }) => [userId, keyId, day].join('|')))
      }
      expect([seen.length, new Set(seen).size]).toEqual([rows, rows])
    },
  )

  test('are read when another process, which is closing the database, releases its lock', async () => {
    const path = newDatabase('closing.db')
    // Another process, because opening blocks this one.
    const lock = `
      const database = new (require('bun:sqlite').Database)(process.argv[1])
      database.run('PRAGMA locking_mode = EXCLUSIVE')
      database.run('BEGIN EXCLUSIVE')
      console.log('locked')
      setTimeout(() => database.close(), 300)`
    await using other = Bun.spawn([process.execPath, '-e', lock, path], { stdout: 'pipe' })
    await other.stdout.getReader().read()
    using source = openMoveSource(path)
    expect(source.count(daily)).toBe(0)
  })

  test('cannot be opened by others while they are read', () => {
    const path = newDatabase('locked.db')
    using _ = openMoveSource(path)
    using other = new Database(path)
    expect(() => other.query('SELECT * FROM users').all()).toThrow('database is locked')
  })

  test('cannot be read once the source is closed', () => {
    const source = openMoveSource(newDatabase('closed.db'))
    source[Symbol.dispose]()
    expect(() => source.count(daily)).toThrow('closed database')
  })
})

describe('a copy', () => {
  const ROWS = COPY_BATCH_ROWS + 1

  /** Copies a database with rows of one table to a target that returns them as `stored` changes them. */
  async function copy(name: string, stored: (rows: Row[]) => Row[], signal: AbortSignal) {
    const path = newDatabase(name)
    {
      using database = new Database(path)
      database.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO daily_usage SELECT 'u' || i, '', 'day', i, 0, 0, i FROM n`,
        [ROWS],
      )
    }
    using source = openMoveSource(path)
    const [progress, reported]: [number[][], MovedRows[]] = [[], []]
    const target: MoveTarget = {
      write: async (_, rows) => stored(rows),
      commit: async () => [] as never,
      [Symbol.asyncDispose]: async () => {},
    }
    const moved = await copyTables(source, target, {
      signal,
      onRows: (...rows) => progress.push(rows),
      onTable: (table) => reported.push(table),
    })
    return { moved, progress, reported }
  }
  const never = new AbortController().signal

  test('reports the rows after each batch, and each table once it is verified', async () => {
    const { moved, progress, reported } = await copy('copy.db', (rows) => rows.toReversed(), never)
    expect(progress).toEqual([
      [COPY_BATCH_ROWS, ROWS],
      [ROWS, ROWS],
    ])
    expect(moved.map(({ name }) => name)).toEqual(tables.map(({ name }) => name))
    expect(moved.find(({ name }) => name === 'daily_usage')!.rows).toBe(ROWS)
    expect(reported).toEqual(moved)
  })

  test.each<[name: string, stored: (rows: Row[]) => Row[], message: string]>([
    ['lost', (rows) => rows.slice(1), `daily_usage has ${ROWS - 2} rows in PostgreSQL, and ${ROWS} in SQLite`],
    ['changed', (rows) => rows.map((row) => ({ ...row, day: 'other' })), 'the rows of daily_usage differ'],
  ])('fails when rows are %s', (name, stored, message) =>
    expect(copy(`${name}.db`, stored, never)).rejects.toThrow(`${message}. Make sure that no server uses`),
  )

  test('stops at the next batch', () => {
    const reason = new Error('stopped')
    return expect(copy('stopped.db', (rows) => rows, AbortSignal.abort(reason))).rejects.toBe(reason)
  })
})

describe('the checksum', () => {
  const [a, b]: Row[] = [
    { id: 'a', n: 1, name: null },
    { id: 'b', n: 2, name: '' },
  ]
  const columns = ['id', 'n', 'name']
  const of = (...batches: Row[][]) => {
    const sum = new Checksum()
    for (const batch of batches) sum.add(batch, columns)
    return { rows: sum.rows, checksum: sum.checksum }
  }

  test('depends neither on the order of rows nor on the batches', () => {
    expect(of([a!, b!])).toEqual(of([b!], [a!]))
    expect(of()).toEqual({ rows: 0, checksum: '0'.repeat(32) })
  })

  test.each<[string, Row]>([
    ['null and an empty string', { ...a!, name: '' }],
    ['a number and its text', { ...a!, n: '1' }],
    ['a value in another column', { ...a!, id: null, name: 'a' }],
    ['the case of a letter', { ...a!, id: 'A' }],
    ['two encodings of the same letter', { ...a!, name: 'e\u0301' }],
  ])('differs between %s', (_, other) => {
    const { rows, checksum } = of([other])
    expect(rows).toBe(1)
    expect(checksum).not.toBe(of([a!]).checksum)
  })
})

test('U+0000, which PostgreSQL cannot store, is replaced in a moved row', () => {
  expect(storableRow({ email: 'jo@a.example', name: 'a\0b', createdAtMs: 1, suspendedAtMs: null })).toEqual({
    email: 'jo@a.example',
    name: 'a\uFFFDb',
    createdAtMs: 1,
    suspendedAtMs: null,
  })
})
