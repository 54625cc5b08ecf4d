import { join } from 'node:path'

import { drizzle } from 'drizzle-orm/bun-sql'
import { migrate } from 'drizzle-orm/bun-sql/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'

import { StoreError } from '../../core/store-fault.ts'
import { toStoreError } from './store-error.ts'

/** In the executable the migrations lie beside the bundled code; from source, at the project's root. */
const MIGRATIONS_FOLDER = join(import.meta.dir, Bun.isStandaloneExecutable ? '' : '../../..', 'drizzle/postgres')

/** Where drizzle notes what is applied. */
const NOTED = { migrationsSchema: 'public', migrationsTable: 'urlmeta_migrations' }

/** A migration may rewrite a large table; in milliseconds. */
const MIGRATION_TIMEOUT_MS = 30 * 60_000

/** A process that ends while it migrates keeps the others waiting this long. One that goes on renews its lock. */
const LOCK_SECONDS = 30
const RENEW_EVERY_MS = 10_000

/** Between two looks at whether another process has finished, in milliseconds. */
const WAIT_MS = 100

/** How a database's schema stands to that of this program. */
export type SchemaState = 'empty' | 'older' | 'current' | 'newer' | 'foreign'

/** Reads what is applied; changes nothing. */
export async function schemaStateOf(sql: Bun.SQL): Promise<SchemaState> {
  const tables: { table_name: string }[] = await sql`
    SELECT table_name FROM information_schema.tables
    WHERE table_schema = ${NOTED.migrationsSchema} AND table_name IN (${NOTED.migrationsTable}, 'users', 'api_keys')`
  const names = tables.map(({ table_name: name }) => name)
  if (!names.includes(NOTED.migrationsTable)) return names.length === 0 ? 'empty' : 'foreign'
  const [noted] = await sql`SELECT max(created_at) AS latest FROM urlmeta_migrations`
  if (noted.latest === null) return names.length === 1 ? 'empty' : 'foreign'
  const known = Math.max(...readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map((one) => one.folderMillis))
  const latest = Number(noted.latest)
  if (latest > known) return 'newer'
  return latest < known ? 'older' : 'current'
}

/**
 * Brings the schema up to date. Of several processes that start together, one does; the others wait for it.
 * @throws StoreError also `newer` or `foreign`, for a database that this program must not touch
 */
export async function applyMigrations(url: string): Promise<void> {
  const sql = new Bun.SQL({
    url,
    adapter: 'postgres',
    // The second one renews the lock.
    max: 2,
    connectionTimeout: 5,
    connection: { statement_timeout: MIGRATION_TIMEOUT_MS, application_name: 'urlmeta migrations' },
  })
  try {
    while (!(await isCurrent(sql))) {
      await using lock = await takeLock(sql)
      if (!lock) await Bun.sleep(WAIT_MS)
      else if (!(await isCurrent(sql))) await migrateOnce(sql)
    }
  } catch (error) {
    throw toStoreError(error)
  } finally {
    await sql.close({ timeout: 1 })
  }
}

/** All in one transaction. It fails when another process, which was stopped for longer than its lock, finishes first. */
async function migrateOnce(sql: Bun.SQL): Promise<void> {
  try {
    await migrate(drizzle(sql), { migrationsFolder: MIGRATIONS_FOLDER, ...NOTED })
  } catch (error) {
    if (!(await isCurrent(sql))) throw error
  }
}

async function isCurrent(sql: Bun.SQL): Promise<boolean> {
  const state = await schemaStateOf(sql)
  if (state === 'newer' || state === 'foreign') throw new StoreError(state)
  return state === 'current'
}

/**
 * Takes the lock, a row that expires by the clock of the database; null while another process holds it. It is no advisory
 * lock, which not every server that speaks PostgreSQL's protocol has.
 */
async function takeLock(sql: Bun.SQL): Promise<AsyncDisposable | null> {
  const owner = Bun.randomUUIDv7()
  await createLockTable(sql)
  const expiry = sql.unsafe(`now() + interval '${LOCK_SECONDS} seconds'`)
  const taken = await sql`
    INSERT INTO urlmeta_migration_lock AS l (id, owner, expires_at) VALUES (1, ${owner}, ${expiry})
    ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at WHERE l.expires_at < now()
    RETURNING owner`
  if (taken.length === 0) return null
  const renewal = setInterval(
    () =>
      void sql`UPDATE urlmeta_migration_lock SET expires_at = ${expiry} WHERE owner = ${owner}`
        // The migration itself reports a lost connection.
        .catch(() => {}),
    RENEW_EVERY_MS,
  )
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(renewal)
      await sql`DELETE FROM urlmeta_migration_lock WHERE owner = ${owner}`
    },
  }
}

async function createLockTable(sql: Bun.SQL): Promise<void> {
  try {
    await sql`CREATE TABLE IF NOT EXISTS urlmeta_migration_lock
      (id int PRIMARY KEY, owner text NOT NULL, expires_at timestamptz NOT NULL)`
  } catch (error) {
    // Of processes that create it at the same moment, one succeeds and the others fail in one of several ways.
    const tables = await sql`SELECT 1 FROM information_schema.tables WHERE table_name = 'urlmeta_migration_lock'`
    if (tables.length === 0) throw error
  }
}
