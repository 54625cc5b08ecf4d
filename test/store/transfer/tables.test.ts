import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'

import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/sqlite-core'

import { openSqlite } from '../../../src/store/sqlite/open.ts'
import { SCHEMA } from '../../../src/store/transfer/export.ts'
import { ALL_TABLES, EXPORTED_TABLES, NOT_EXPORTED } from '../../../src/store/transfer/tables.ts'
import { migrationsOf } from '../database-fixtures.ts'
import { temporaryDatabase } from '../temporary-sqlite.ts'

const NAMES = EXPORTED_TABLES.map(({ name }) => name)

describe('the list of exported tables', () => {
  test('has every table of a migrated SQLite database, except the listed ones', () => {
    const path = temporaryDatabase()
    openSqlite(path, { maxResults: 1 })[Symbol.dispose]()
    using database = new Database(path)
    const inFile = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all()
      .map(({ name }) => name)
      .filter((name) => name !== '__drizzle_migrations' && !NOT_EXPORTED.includes(name))
    expect(NAMES.toSorted()).toEqual(inFile.toSorted())
  })

  test('includes every PostgreSQL table that has rows to export', () => {
    const others = ALL_TABLES.PostgreSQL.map(getTableName).filter((name) => !NAMES.includes(name))
    expect(others.toSorted()).toEqual([
      'metering_processes',
      'probe',
      'rendered_hosts',
      'request_log',
      'results',
      'usage_reservations',
    ])
  })

  test.each(EXPORTED_TABLES.map((table) => [table.name, table] as const))(
    '%s: both databases have the same columns',
    (_, { in: tables }) => {
      const [sqlite, postgres] = [getTableColumns(tables.SQLite), getTableColumns(tables.PostgreSQL)]
      expect(Object.keys(postgres)).toEqual(Object.keys(sqlite))
      for (const [property, column] of Object.entries(sqlite)) {
        const { name: columnName, notNull, primary } = postgres[property]!
        expect([property, columnName, notNull, primary]).toEqual([
          property,
          column.name,
          column.notNull,
          column.primary,
        ])
      }
    },
  )

  test.each(EXPORTED_TABLES.map((table, i) => [table.name, table, i] as const))(
    '%s follows the tables that it references',
    (_, table, i) => {
      const referenced = getTableConfig(table.in.SQLite).foreignKeys.map((key) =>
        getTableName(key.reference().foreignTable),
      )
      expect(referenced.filter((name) => !NAMES.slice(0, i).includes(name))).toEqual([])
    },
  )
})

test('the schema has the name of the latest migration of SQLite', async () => {
  expect(SCHEMA).toBe((await migrationsOf('sqlite')).at(-1)!.tag)
})
