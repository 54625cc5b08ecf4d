import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'

import { getTableColumns, getTableName } from 'drizzle-orm'

import {
  applyMigrations,
  requireKnownSchema,
  schemaStateOf,
  supportedSchemaStateOf,
  type SchemaState,
} from '../../src/store/sqlite/migrations.ts'
import { tables } from '../../src/store/sqlite/schema.ts'
import * as usageTables from '../../src/store/sqlite/usage-schema.ts'

const LAST = 'SELECT max(created_at) FROM __drizzle_migrations'

describe('the schema of a database', () => {
  test.each<[name: string, change: string, state: SchemaState]>([
    ['of this version', 'SELECT 1', 'current'],
    ['after ANALYZE', 'ANALYZE', 'current'],
    ['before the last migration', `DELETE FROM __drizzle_migrations WHERE created_at = (${LAST})`, 'older'],
    ['of a newer version', 'UPDATE __drizzle_migrations SET created_at = created_at + 9e12', 'newer'],
    ['without migrations', 'DELETE FROM __drizzle_migrations', 'unknown_schema'],
    ['with another migration', `UPDATE __drizzle_migrations SET hash = 'x'`, 'unknown_schema'],
    ['with other times of migrations', 'UPDATE __drizzle_migrations SET created_at = created_at - 1', 'unknown_schema'],
    ['with another table of migrations', 'ALTER TABLE __drizzle_migrations ADD x', 'unknown_schema'],
    ['of another program', 'DROP TABLE __drizzle_migrations', 'foreign'],
  ])('%s', (_, change, state) => {
    using database = new Database(':memory:')
    applyMigrations(database)
    database.run(change)
    expect(schemaStateOf(database)).toBe(state)
    if (state === 'current' || state === 'older') expect<string>(supportedSchemaStateOf(database)).toBe(state)
    else expect(() => supportedSchemaStateOf(database)).toThrow(expect.objectContaining({ fault: state }))
  })

  test.each<[name: string, statements: string[]]>([
    ['without tables', []],
    [
      'in which another process creates the tables',
      ['CREATE TABLE "__drizzle_migrations" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)'],
    ],
  ])('%s is empty', (_, statements) => {
    using database = new Database(':memory:')
    for (const statement of statements) database.run(statement)
    expect(schemaStateOf(database)).toBe('empty')
    expect(() => requireKnownSchema(database)).toThrow(expect.objectContaining({ fault: 'foreign' }))
  })

  test('has the columns that the statements use', () => {
    using database = new Database(':memory:')
    applyMigrations(database)
    for (const table of Object.values({ ...tables, ...usageTables })) {
      const expected = Object.values(getTableColumns(table)).map(({ name, notNull }) => [name, Number(notNull)])
      const created = database.query('SELECT name, "notnull" FROM pragma_table_info(?)').values(getTableName(table))
      expect([getTableName(table), ...created.toSorted()]).toEqual([getTableName(table), ...expected.toSorted()])
    }
  })

  test.each<[name: string, change: string, detail: string | null]>([
    ['unchanged', 'SELECT 1', null],
    ['analyzed', 'ANALYZE', null],
    ['with a trigger', 'CREATE TRIGGER t AFTER INSERT ON users BEGIN SELECT 1; END', 'trigger "t" is not part of it'],
    ['with a view', 'CREATE VIEW v AS SELECT 1', 'view "v" is not part of it'],
    ['without a table', 'DROP TABLE audit_log', 'table "audit_log" is missing'],
    ['with another column', 'ALTER TABLE users ADD x', 'table "users" is changed'],
    [
      'with another space in a statement',
      'DROP INDEX api_keys_user; CREATE INDEX `api_keys_user` ON `api_keys` ( `user_id`)',
      'index "api_keys_user" is changed',
    ],
  ])('of a backup: %s', (_, change, detail) => {
    using database = new Database(':memory:')
    applyMigrations(database)
    database.run(change)
    if (detail === null) expect(() => requireKnownSchema(database)).not.toThrow()
    else expect(() => requireKnownSchema(database)).toThrow(`the database has an unknown schema (${detail})`)
  })
})
