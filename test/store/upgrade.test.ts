import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { SQL } from 'bun'

import { hashApiKey } from '../../src/core/accounts/api-key.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import type { Stores } from '../../src/compose/stores.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { describePostgres } from '../requirements.ts'
import { type Dialect, fixtureOf, fixturesOf, migrationsOf } from './database-fixtures.ts'
import { openPatiently } from './open-patiently.ts'
import { SAMPLE_KEY, SAMPLE_MONTH, SAMPLE_USER } from './sample-rows.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

type Row = Record<string, unknown>
/** The rows of each table. */
type Contents = Map<string, Row[]>

/** Tables of the migrations themselves, and those that are empty in every installation that is not being moved. */
const NOT_CONTENTS = ['__drizzle_migrations', 'urlmeta_migrations', 'urlmeta_migration_lock']

const MIGRATIONS = { sqlite: await migrationsOf('sqlite'), postgres: await migrationsOf('postgres') }
const tagsOf = (dialect: Dialect) => MIGRATIONS[dialect].map(({ tag }) => tag)
const readFixture = (dialect: Dialect, tag: string) => Bun.file(fixtureOf(dialect, tag)).text()

describe.each(['sqlite', 'postgres'] as const)('databases of earlier versions: %s', (dialect) => {
  test('each migration has one, written by `bun run db:fixtures`', () => {
    expect(fixturesOf(dialect).toSorted()).toEqual(tagsOf(dialect).toSorted())
  })

  test.each(tagsOf(dialect))(
    '%s was created by the migrations in drizzle/, which have not changed since',
    async (tag) => {
      const applied = MIGRATIONS[dialect].slice(0, tagsOf(dialect).indexOf(tag) + 1)
      const expected = applied.map(({ hash, folderMillis }) => `VALUES ('${hash}', ${folderMillis});`)
      const noted = (await readFixture(dialect, tag)).matchAll(/VALUES \('[0-9a-f]{64}', \d+\);/g)
      expect([...noted].map(([values]) => values)).toEqual(expected)
    },
  )
})

/** Checks that every row still exists, with the same values in the columns that still exist. */
function expectKept(before: Contents, after: Contents) {
  for (const [table, rows] of before) {
    const found = after.get(table) ?? []
    const columns = Object.keys(found[0] ?? {})
    const common = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => columns.includes(name))))
    expect([table, rows.length > 0, found.length]).toEqual([table, true, rows.length])
    expect(found).toEqual(common.map((row) => expect.objectContaining(row) as Row))
  }
}

/** Checks that the stores can read the rows of the fixture. */
async function expectUsable(stores: Stores) {
  await stores.ping()
  const owner = await stores.keys.findOwner(hashApiKey(SAMPLE_KEY))
  expect(owner).toMatchObject({
    userId: SAMPLE_USER.id,
    plan: 'starter',
    allowedHosts: ['example.com', '*.example.org'],
  })
  expect(await stores.users.findByEmail(SAMPLE_USER.email)).toMatchObject({ id: SAMPLE_USER.id })
  const unit = { userId: SAMPLE_USER.id, keyId: 'key-1', month: SAMPLE_MONTH }
  const request = { unit, limit: 100, chargedAtMs: Date.UTC(2026, 10, 21) }
  expect(await stores.usage.apply({ requests: [request], settlements: [] })).toEqual([
    { taken: true, used: SAMPLE_USER.used + 1 },
  ])
}

describe('SQLite', () => {
  const directory = mkdtempSync(join(tmpdir(), 'urlmeta-upgrade-'))
  afterAll(() => rmSync(directory, { recursive: true }))

  const schemaOf = (database: Database) =>
    database
      .query("SELECT type, name, sql FROM sqlite_schema WHERE tbl_name <> '__drizzle_migrations' ORDER BY name")
      .all()

  function contentsOf(database: Database): Contents {
    const tables = database.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    const names = tables.map(({ name }) => name).filter((name) => !NOT_CONTENTS.includes(name))
    return new Map(names.map((name) => [name, database.query<Row, []>(`SELECT * FROM "${name}" ORDER BY 1, 2`).all()]))
  }

  function read<T>(path: string, of: (database: Database) => T): T {
    using database = new Database(path)
    return of(database)
  }

  test.each(tagsOf('sqlite'))('a database of %s is migrated and keeps its rows', async (tag) => {
    const path = join(directory, `${tag}.db`)
    const statements = await readFixture('sqlite', tag)
    const before = read(path, (database) => {
      database.run(statements)
      return contentsOf(database)
    })
    const stores = openSqlite(path, { maxResults: 1 })
    const [after, schema] = read(path, (database) => [contentsOf(database), schemaOf(database)])
    expectKept(before, after)
    await expectUsable(stores)
    stores[Symbol.dispose]()
    read(path, (database) => {
      expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']])
      expect(database.query('PRAGMA foreign_key_check').values()).toEqual([])
    })

    const newPath = join(directory, `${tag}-new.db`)
    openSqlite(newPath, { maxResults: 1 })[Symbol.dispose]()
    expect(schema).toEqual(read(newPath, schemaOf))
  })
})

describePostgres('PostgreSQL', (binDir) => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(binDir)
  }, PATIENT_TEST_MS)
  afterAll(() => server?.[Symbol.asyncDispose](), PATIENT_TEST_MS)

  async function schemaOf(sql: SQL) {
    const columns = await sql`
      SELECT table_name, column_name, data_type, is_nullable, column_default, is_identity
      FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`
    const indexes = await sql`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`
    const constraints = await sql`
      SELECT conrelid::regclass::text AS table_name, conname, pg_get_constraintdef(oid) AS definition
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`
    return { columns: [...columns], indexes: [...indexes], constraints: [...constraints] }
  }

  async function contentsOf(sql: SQL): Promise<Contents> {
    const tables: { name: string }[] = await sql`
      SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`
    const names = tables.map(({ name }) => name).filter((name) => !NOT_CONTENTS.includes(name))
    const contents: Contents = new Map()
    for (const name of names) contents.set(name, [...(await sql.unsafe(`SELECT * FROM "${name}" ORDER BY 1, 2`))])
    return contents
  }

  test.each(tagsOf('postgres'))('a database of %s is migrated and keeps its rows', async (tag) => {
    const [url, newUrl] = [await server.createDatabase(), await server.createDatabase()]
    await using sql = new SQL({ url, max: 1 })
    await sql.unsafe(await readFixture('postgres', tag))
    const before = await contentsOf(sql)
    {
      await using stores = await openPatiently(url)
      expectKept(before, await contentsOf(sql))
      await expectUsable(stores)
    }

    {
      await using _ = await openPatiently(newUrl)
    }
    await using newSql = new SQL({ url: newUrl, max: 1 })
    expect(await schemaOf(sql)).toEqual(await schemaOf(newSql))
  })
})

test('no migration of SQLite rebuilds a table: this would delete the rows that refer to it', async () => {
  const migrations = await migrationsOf('sqlite')
  expect(migrations.length).toBeGreaterThan(5)
  // Migrations run in a transaction, in which the pragma that a rebuild begins with does nothing.
  expect(migrations.filter(({ text }) => /PRAGMA foreign_keys|DROP TABLE/i.test(text)).map(({ tag }) => tag)).toEqual(
    [],
  )
})
