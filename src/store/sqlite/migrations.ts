import { Database } from 'bun:sqlite'
import { join } from 'node:path'

import { drizzle } from 'drizzle-orm/bun-sqlite'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'

import { StoreError } from '../../core/store-fault.ts'

/** The migrations are beside the bundled code in the executable, and at the project's root when run from source. */
const MIGRATIONS_FOLDER = join(import.meta.dir, Bun.isStandaloneExecutable ? '' : '../../..', 'drizzle/sqlite')

/** Where drizzle records the applied migrations. */
const RECORDS = '__drizzle_migrations'
const CREATE_RECORDS = `CREATE TABLE "${RECORDS}" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)`

/** How the schema of a database compares with the schema of this program. */
export type SchemaState = 'empty' | 'older' | 'current' | 'newer' | 'foreign' | 'unknown_schema'

/** Reads the applied migrations; changes nothing. */
export function schemaStateOf(database: Database): SchemaState {
  const objects = objectsOf(database)
  if (objects.size === 0) return 'empty'
  const records = objects.get(`table "${RECORDS}"`)
  if (records === undefined) return 'foreign'
  if (records !== spaceless(CREATE_RECORDS)) return 'unknown_schema'
  const applied = database
    .query<{ hash: string; atMs: number }, []>(`SELECT hash, created_at AS atMs FROM ${RECORDS} ORDER BY created_at`)
    .all()
  const known = knownMigrations()
  // Another process has just created the table of migrations, but no other table.
  if (applied.length === 0) {
    return [...objects.keys()].every((object) => object.includes(RECORDS)) ? 'empty' : 'unknown_schema'
  }
  if (applied.at(-1)!.atMs > known.at(-1)!.folderMillis) return 'newer'
  const isKnown = applied.every(({ hash, atMs }, i) => hash === known[i]?.hash && atMs === known[i].folderMillis)
  if (!isKnown) return 'unknown_schema'
  return applied.length < known.length ? 'older' : 'current'
}

/** Like `schemaStateOf`. @throws StoreError for a database that this version cannot use */
export function supportedSchemaStateOf(database: Database): 'empty' | 'older' | 'current' {
  const state = schemaStateOf(database)
  if (state === 'newer' || state === 'foreign' || state === 'unknown_schema') throw new StoreError(state)
  return state
}

/**
 * Compares tables, indexes, views and triggers with a new database that has the same migrations. A trigger or view in a
 * file from elsewhere would run when the database is used.
 * @throws StoreError `unknown_schema`, and other faults for a database that this version cannot use
 */
export function requireKnownSchema(database: Database): void {
  if (supportedSchemaStateOf(database) === 'empty') throw new StoreError('foreign')
  const { applied } = database.query<{ applied: number }, []>(`SELECT count(*) AS applied FROM ${RECORDS}`).get()!
  using fresh = new Database(':memory:')
  fresh.run(CREATE_RECORDS)
  for (const { sql } of knownMigrations().slice(0, applied)) for (const statement of sql) fresh.run(statement)
  const [found, expected] = [objectsOf(database), objectsOf(fresh)]
  const isDifferent = (object: string) => found.get(object) !== expected.get(object)
  const different = [...new Set([...found.keys(), ...expected.keys()])].find(isDifferent)
  if (different !== undefined) {
    const how = !found.has(different) ? 'missing' : expected.has(different) ? 'changed' : 'not part of it'
    throw new StoreError('unknown_schema', { detail: `${different} is ${how}` })
  }
}

/** The SQL definitions by type and name, without the statistics of `ANALYZE`. */
function objectsOf(database: Database): Map<string, string | null> {
  const objects = database
    .query<{ type: string; name: string; sql: string | null }, []>('SELECT type, name, sql FROM sqlite_schema')
    .all()
  return new Map(
    objects
      .filter(({ type, name }) => !(type === 'table' && name.startsWith('sqlite_stat')))
      .map(({ type, name, sql }) => [
        `${type} ${JSON.stringify(name)}`,
        // The text of this statement depends on the version of drizzle.
        name === RECORDS && sql !== null ? spaceless(sql) : sql,
      ]),
  )
}

const spaceless = (sql: string) => sql.replaceAll(/\s/g, '')

const knownMigrations = () => readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER })

/** Brings the schema up to date. @throws StoreError for a database that this version cannot use */
export function applyMigrations(database: Database): void {
  supportedSchemaStateOf(database)
  // After a full disk or an I/O error SQLite has rolled back, and drizzle's own rollback would fail and hide the reason.
  const prepare = (sql: string) => database.prepare(sql === 'ROLLBACK' && !database.inTransaction ? 'SELECT 0' : sql)
  const db = drizzle(Object.create(database, { prepare: { value: prepare } }))
  try {
    migrate(db, { migrationsFolder: MIGRATIONS_FOLDER })
  } catch {
    // drizzle reads the applied migrations before it takes the write lock, so another process that starts at the same
    // time may have applied the same migration in between. Then the second attempt succeeds.
    migrate(db, { migrationsFolder: MIGRATIONS_FOLDER })
  }
}
