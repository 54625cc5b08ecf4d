import type { Database } from 'bun:sqlite'
import { join } from 'node:path'

import { drizzle } from 'drizzle-orm/bun-sqlite'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'

import { StoreError } from '../../core/store-fault.ts'

/** The migrations are beside the bundled code in the executable, and at the project's root when run from source. */
const MIGRATIONS_FOLDER = join(import.meta.dir, Bun.isStandaloneExecutable ? '' : '../../..', 'drizzle/sqlite')

/** The schema of a database compared with that of this program. */
export type SchemaState = 'empty' | 'older' | 'current' | 'newer' | 'foreign'

/** Reads the applied migrations; changes nothing. */
export function schemaStateOf(database: Database): SchemaState {
  const tables = database.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  if (tables.length === 0) return 'empty'
  if (!tables.some(({ name }) => name === '__drizzle_migrations')) return 'foreign'
  const applied = database
    .query<{ latest: number | null }, []>('SELECT max(created_at) AS latest FROM __drizzle_migrations')
    .get()!.latest
  // Another process has just created the table of migrations, but not the others.
  if (applied === null) return 'empty'
  const known = Math.max(...readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map((one) => one.folderMillis))
  if (applied > known) return 'newer'
  return applied < known ? 'older' : 'current'
}

/** Like `schemaStateOf`. @throws StoreError `newer` or `foreign` for a database that this version cannot use */
export function supportedSchemaStateOf(database: Database): Exclude<SchemaState, 'newer' | 'foreign'> {
  const state = schemaStateOf(database)
  if (state === 'newer' || state === 'foreign') throw new StoreError(state)
  return state
}

/**
 * Brings the schema up to date.
 * @throws StoreError `newer` or `foreign`
 */
export function applyMigrations(database: Database): void {
  supportedSchemaStateOf(database)
  const db = drizzle(database)
  try {
    migrate(db, { migrationsFolder: MIGRATIONS_FOLDER })
  } catch {
    // drizzle reads the applied migrations before it takes the write lock, so another process that starts at the same
    // time may have applied the same migration in between. Then the second attempt succeeds.
    migrate(db, { migrationsFolder: MIGRATIONS_FOLDER })
  }
}
