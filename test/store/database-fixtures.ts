import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { readMigrationFiles, type MigrationMeta } from 'drizzle-orm/migrator'

const ROOT = join(import.meta.dir, '../..')

/** The databases that have migrations, and SQL that creates the tables of the migrator there. */
export const DIALECTS = {
  sqlite: {
    migrationsTable: '__drizzle_migrations',
    createMigratorTables:
      'CREATE TABLE "__drizzle_migrations" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric);',
  },
  postgres: {
    migrationsTable: 'urlmeta_migrations',
    createMigratorTables:
      'CREATE TABLE "urlmeta_migrations" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint);\n' +
      'CREATE TABLE urlmeta_migration_lock (id int PRIMARY KEY, owner text NOT NULL, expires_at timestamptz NOT NULL);',
  },
} as const

export type Dialect = keyof typeof DIALECTS

/** A migration, with its name in `drizzle/`, such as `0000_init`. */
export interface Migration extends Pick<MigrationMeta, 'hash' | 'folderMillis'> {
  tag: string
  /** The content of its file. */
  text: string
}

/** The migrations of a database, oldest first. */
export async function migrationsOf(dialect: Dialect): Promise<Migration[]> {
  const migrationsFolder = join(ROOT, 'drizzle', dialect)
  const journal = (await Bun.file(join(migrationsFolder, 'meta/_journal.json')).json()) as {
    entries: { tag: string; when: number }[]
  }
  const files = readMigrationFiles({ migrationsFolder })
  return await Promise.all(
    journal.entries.map(async ({ tag }, i) => {
      const { hash, folderMillis } = files[i]!
      return { tag, hash, folderMillis, text: await Bun.file(join(migrationsFolder, `${tag}.sql`)).text() }
    }),
  )
}

const folderOf = (dialect: Dialect) => join(ROOT, 'test/fixtures/databases', dialect)

/** The file with a database whose latest migration is `tag`: SQL statements that create it with rows in every table. */
export const fixtureOf = (dialect: Dialect, tag: string) => join(folderOf(dialect), `${tag}.sql`)

/** The migrations that have a database file. */
export const fixturesOf = (dialect: Dialect): string[] =>
  readdirSync(folderOf(dialect)).map((file) => file.replace(/\.sql$/, ''))
