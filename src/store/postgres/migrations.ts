import { join } from 'node:path'

import { drizzle } from 'drizzle-orm/bun-sql'
import { migrate } from 'drizzle-orm/bun-sql/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'

import { MINUTE_MS } from '../../core/duration.ts'
import { StoreError } from '../../core/store-fault.ts'
import { PATIENT_DEADLINES, within } from '../deadline.ts'
import { createClient, type SessionSettings } from './pool.ts'
import { openSession, type Session } from './session.ts'
import { toStoreError } from './store-error.ts'

/** In the executable, the migrations are beside the bundled code; from source, in the project's root. */
const MIGRATIONS_FOLDER = join(import.meta.dir, Bun.isStandaloneExecutable ? '' : '../../..', 'drizzle/postgres')

/** Where drizzle records applied migrations. */
const MIGRATION_RECORDS = { migrationsSchema: 'public', migrationsTable: 'urlmeta_migrations' }

/** Shown to administrators in the list of sessions. */
const NAME = 'urlmeta migrations'

/** The limit of one statement. A migration may rewrite a large table. */
const MIGRATION_TIMEOUT_MS = 30 * MINUTE_MS

/**
 * The lock expires after this time unless it is renewed. If a migrating process is killed, other processes wait this
 * long.
 */
const LOCK_SECONDS = 30
const RENEW_EVERY_MS = 10_000

/** The interval between checks whether another process has finished, in milliseconds. */
const WAIT_MS = 100

/** How the schema of a database compares with the schema of this program. */
export type SchemaState = 'empty' | 'older' | 'current' | 'newer' | 'foreign'

/** Reads the applied migrations; changes nothing. */
export async function schemaStateOf(sql: Bun.SQL): Promise<SchemaState> {
  const tables: { table_name: string }[] = await sql`
    SELECT table_name FROM information_schema.tables
    WHERE table_schema = ${MIGRATION_RECORDS.migrationsSchema} AND table_name IN (${MIGRATION_RECORDS.migrationsTable}, 'users', 'api_keys')`
  const names = tables.map(({ table_name: name }) => name)
  if (!names.includes(MIGRATION_RECORDS.migrationsTable)) return names.length === 0 ? 'empty' : 'foreign'
  const [applied] = await sql`SELECT max(created_at) AS latest FROM public.urlmeta_migrations`
  if (applied.latest === null) return names.length === 1 ? 'empty' : 'foreign'
  const known = Math.max(...readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map((one) => one.folderMillis))
  const latest = Number(applied.latest)
  if (latest > known) return 'newer'
  return latest < known ? 'older' : 'current'
}

/**
 * Brings the schema up to date. If several processes start together, one migrates and the others wait. Returns the
 * closed session, for its settings.
 * @throws StoreError, including `newer` and `foreign` for a database that this program must not change
 */
export async function applyMigrations(url: string): Promise<Session> {
  try {
    await using session = await openSession(url, NAME)
    const { sql, settings, isReadOnly } = session
    while (!(await isCurrent(sql))) {
      if (isReadOnly) throw new StoreError('read_only_user')
      await using lock = await takeLock(sql)
      if (!lock) await Bun.sleep(WAIT_MS)
      else if (!(await isCurrent(sql))) await migrateOnce(sql, url, settings)
    }
    return session
  } catch (error) {
    throw toStoreError(error)
  }
}

/**
 * Applies all migrations in one transaction. The transaction fails if another process finishes first, which happens if
 * that process lost the lock while it was suspended.
 */
async function migrateOnce(sql: Bun.SQL, url: string, settings: SessionSettings): Promise<void> {
  // In a connection of its own, because `sql` renews the lock.
  await using client = createClient(url, NAME, { max: 1 }, PATIENT_DEADLINES.statementMs, settings)
  try {
    using session = await client.reserve()
    // Set by a statement, because PgBouncer does not pass on connection settings.
    await session.unsafe(`SET statement_timeout = ${MIGRATION_TIMEOUT_MS}`)
    await migrate(drizzle(session), { migrationsFolder: MIGRATIONS_FOLDER, ...MIGRATION_RECORDS })
  } catch (error) {
    if (!(await isCurrent(sql))) throw error
  }
}

async function isCurrent(sql: Bun.SQL): Promise<boolean> {
  // The deadline exceeds the timeout of a statement, so that the server's reason is reported. With PgBouncer, a query
  // waits for a free connection.
  const state = await within(PATIENT_DEADLINES.callMs, schemaStateOf(sql))
  if (state === 'newer' || state === 'foreign') throw new StoreError(state)
  return state === 'current'
}

/**
 * Takes the lock, a row that expires by the clock of the database; null while another process holds it. Advisory locks
 * are not used, because not every PostgreSQL-compatible server has them.
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
  const renew = () => sql`UPDATE urlmeta_migration_lock SET expires_at = ${expiry} WHERE owner = ${owner}`
  // The migration itself reports a lost connection.
  const renewal = setInterval(() => void renew().catch(() => {}), RENEW_EVERY_MS)
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
    // If several processes create the table at the same moment, one process succeeds and the others fail with different
    // errors.
    const tables = await sql`SELECT 1 FROM information_schema.tables WHERE table_name = 'urlmeta_migration_lock'`
    if (tables.length === 0) throw error
  }
}
