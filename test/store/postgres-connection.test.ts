import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'

import { SQL } from 'bun'
import { readMigrationFiles } from 'drizzle-orm/migrator'

import { UNRESTRICTED } from '../../src/core/accounts/key-settings.ts'
import { messageWithCause, type StoreError, type StoreFault } from '../../src/core/store-fault.ts'
import type { Deadlines } from '../../src/store/deadline.ts'
import { inspectPostgres } from '../../src/store/postgres/inspect.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { openPool } from '../../src/store/postgres/pool.ts'
import { makeCertificates } from '../origin/certificates.ts'
import { PATIENT_POSTGRES, PATIENT_TEST_MS } from '../patience.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { describePostgres, describeProgram } from '../requirements.ts'
import { until } from '../site.ts'
import { migrationsOf } from './database-fixtures.ts'
import { openPatiently } from './open-patiently.ts'

const UNTRUSTED = 'the certificate of the database server is not trusted'

/** The number of connections of a program to the database. */
async function openConnections(sql: SQL, program: string): Promise<number> {
  const [row] = await sql`
    SELECT count(*)::int AS open FROM pg_stat_activity
    WHERE application_name = ${program} AND datname = current_database()`
  return row.open
}

describePostgres('PostgreSQL, the connection', (binDir) => {
  let server: PostgresServer
  const directory = mkdtempSync(join(tmpdir(), 'urlmeta-postgres-client-'))

  beforeAll(async () => {
    server = await startPostgres(binDir)
  }, PATIENT_TEST_MS)
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true })
  }, PATIENT_TEST_MS)

  describe('TLS', () => {
    const authority = join(directory, 'authority.pem')
    let url: URL

    beforeAll(async () => {
      const { authority: pem, good } = await makeCertificates(['localhost'])
      writeFileSync(authority, pem)
      url = new URL(await server.createDatabase())
      await using sql = new SQL({ url: url.href, max: 1 })
      // The server requires that the files belong to its user, so they are written by a program of the server.
      for (const [name, text] of [
        ['server.crt', good.cert],
        ['server.key', good.key],
      ] as const) {
        await sql.unsafe(
          `COPY (SELECT unnest(string_to_array('${text}', chr(10)))) TO PROGRAM 'umask 077 && cat > ${name}'`,
        )
      }
      await sql.unsafe('ALTER SYSTEM SET ssl = on')
      await sql`SELECT pg_reload_conf()`
      while ((await sql`SHOW ssl`)[0].ssl !== 'on') await Bun.sleep(10)
    })

    test.each([
      ['no sslmode', '127.0.0.1', '', null],
      ['require', '127.0.0.1', 'sslmode=require', null],
      ['verify-full with the authority', 'localhost', `sslmode=verify-full&sslrootcert=${authority}`, null],
      ['verify-full with another name', '127.0.0.1', `sslmode=verify-full&sslrootcert=${authority}`, UNTRUSTED],
      ['verify-full without the authority', 'localhost', 'sslmode=verify-full', UNTRUSTED],
    ])('%s', async (_, host, search, message) => {
      const tried = Object.assign(new URL(url), { hostname: host, search }).href
      const inspected = inspectPostgres(tried)
      if (message === null) expect((await inspected).schema).toBe('empty')
      else await expect(inspected).rejects.toThrow(message)
    })
  })

  describe('an error', () => {
    test.each([
      ['a missing table', 'DROP TABLE tickets', { name: 'StoreError', message: 'the database is damaged' }],
      ['a rejected row', 'ALTER TABLE tickets ADD CHECK (expires_at > 9)', { name: 'Error' }],
    ])('of %s contains neither the statement nor its values', async (_, change, expected) => {
      const url = await server.createDatabase()
      await using stores = await openPatiently(url)
      await using sql = new SQL({ url, max: 1 })
      await sql.unsafe(change)
      const ticket = { hash: 'the hash', payload: 'the payload', expiresAtMs: 9 }
      const error: unknown = await stores.tickets.issue(ticket).catch((reason: unknown) => reason)
      expect(error).toMatchObject(expected)
      const text = inspect(error, { depth: 5, showHidden: true })
      expect(text).toContain('SQLSTATE')
      for (const secret of ['insert', 'the hash', 'the payload']) expect(text).not.toContain(secret)
    })

    test('contains the message of the server', async () => {
      const missing = new URL(await server.createDatabase())
      missing.pathname = '/missing'
      const error = await inspectPostgres(missing.href).catch((reason: StoreError) => reason)
      expect(messageWithCause(error as StoreError)).toBe(
        'there is no such database on the server (database "missing" does not exist (SQLSTATE 3D000))',
      )
    })
  })

  test('an inspection leaves no connection open', async () => {
    const url = await server.createDatabase()
    await using sql = new SQL({ url, max: 1 })
    await inspectPostgres(url)
    // A closed connection may be listed for a moment.
    await until(async () => (await openConnections(sql, 'urlmeta doctor')) === 0)
    expect(await openConnections(sql, 'urlmeta doctor')).toBe(0)
  })

  describe('an error with the SQLSTATE', () => {
    let url: string
    let stores: Awaited<ReturnType<typeof openPostgres>>
    let sql: SQL

    beforeAll(async () => {
      url = await server.createDatabase()
      stores = await openPatiently(url)
      sql = new SQL({ url, max: 1 })
      await sql.unsafe('CREATE SEQUENCE tries')
    })
    afterAll(async () => {
      await stores?.[Symbol.asyncDispose]()
      await sql?.close()
    })

    /** Lets the database reject tickets with an error, the first `times` times. Returns the number of tries of one. */
    async function issue(state: string, message: string, times: number) {
      await sql.unsafe(`CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('tries') <= ${times} THEN RAISE EXCEPTION '${message}' USING ERRCODE = '${state}'; END IF;
          RETURN NEW;
        END $$`)
      await sql.unsafe('CREATE OR REPLACE TRIGGER fail BEFORE INSERT ON tickets FOR EACH ROW EXECUTE FUNCTION fail()')
      await sql.unsafe('ALTER SEQUENCE tries RESTART')
      const ticket = { hash: crypto.randomUUID(), payload: '', expiresAtMs: 9 }
      const error: unknown = await stores.tickets.issue(ticket).catch((reason: unknown) => reason)
      const [{ next }] = await sql`SELECT nextval('tries')::int AS next`
      return { error, tries: next - 1 }
    }

    test.each<[state: string, message: string, fault: StoreFault]>([
      ['53100', 'disk full', 'full'],
      ['53300', 'too many connections', 'too_many_connections'],
      ['57014', 'canceling statement due to statement timeout', 'timed_out'],
      ['55P03', 'canceling statement due to lock timeout', 'timed_out'],
      ['57P01', 'terminating connection due to administrator command', 'unreachable'],
      ['57P03', 'the database system is shutting down', 'unreachable'],
      ['57P03', 'the database system is not accepting connections', 'standby'],
      ['08006', 'connection failure', 'unreachable'],
      ['28000', 'role is not permitted to log in', 'access_denied'],
      ['28P01', 'password authentication failed', 'access_denied'],
      ['3D000', 'database does not exist', 'no_database'],
      ['42501', 'permission denied for table tickets', 'access_denied'],
      ['42P05', 'prepared statement already exists', 'transaction_pooling'],
      ['26000', 'prepared statement does not exist', 'transaction_pooling'],
      ['58030', 'could not read block 0: Input/output error', 'io_error'],
      ['58P01', 'could not open file: No such file or directory', 'damaged'],
      ['42P01', 'relation does not exist', 'damaged'],
      ['42703', 'column does not exist', 'damaged'],
      ['XX001', 'invalid page in block 0', 'damaged'],
      ['XX002', 'index contains unexpected zero page', 'damaged'],
      ['0A000', 'cannot use serializable mode in a hot standby', 'standby'],
      ['25006', 'cannot execute INSERT in a read-only transaction', 'standby'],
    ])('%s, %s: %s', async (state, message, fault) => {
      expect((await issue(state, message, 1)).error).toMatchObject({ name: 'StoreError', fault })
    })

    test('of a standby closes the connections to it', async () => {
      for (let i = 0; i < 3; i++) await issue('25006', 'standby', 1)
      await until(async () => (await openConnections(sql, 'urlmeta')) <= 1)
      expect(await openConnections(sql, 'urlmeta')).toBeLessThanOrEqual(1)
    })

    test.each([
      ['40001, a serialization failure,', '40001', 2, 3],
      ['40P01, a deadlock,', '40P01', 2, 3],
      ['23505, a unique violation,', '23505', 9, 10],
      ['25P03, a transaction that was idle for too long,', '25P03', 2, 3],
    ])('%s is retried', async (_, state, times, tries) => {
      expect(await issue(state, 'conflict', times)).toEqual({ error: undefined, tries })
    })

    test.each([
      ['23505 is thrown after ten tries', '23505', 10],
      ['22001 is thrown at once', '22001', 1],
    ])('%s', async (_, state, tries) => {
      const { error, tries: tried } = await issue(state, 'rejected', 99)
      expect([(error as Error).name, tried]).toEqual(['Error', tries])
    })
  })

  test.each<[name: string, deadlines: Deadlines, expected: { outcome: string; tries: number; rows: number[] }]>([
    ['a call within its deadline is made again', PATIENT_POSTGRES, { outcome: 'done', tries: 2, rows: [1] }],
    [
      'a call after its deadline, which has failed, is not',
      { ...PATIENT_POSTGRES, callMs: 1_000 },
      { outcome: 'timed_out', tries: 1, rows: [0] },
    ],
  ])('while a process is suspended, its transaction is rolled back: %s', async (_, deadlines, expected) => {
    const url = await server.createDatabase()
    await using admin = new SQL({ url, max: 1 })
    await admin`CREATE TABLE added (at bigint)`
    await using pool = openPool(url, deadlines)
    let tries = 0
    const firstTry = Promise.withResolvers<void>()
    const store = pool.guard({
      async add() {
        const isFirst = ++tries === 1
        const added = pool.db.transaction(async (tx) => {
          if (isFirst) await tx.execute('SET LOCAL idle_in_transaction_session_timeout = 100')
          await tx.execute('INSERT INTO added VALUES (1)')
          if (isFirst) Bun.sleepSync(1_500)
          await tx.execute('SELECT 1')
        })
        await added.finally(() => firstTry.resolve())
        return 'done'
      },
      async rows() {
        const [row] = await pool.db.execute<{ rows: number }>('SELECT count(*)::int AS rows FROM added')
        return row!.rows
      },
    })
    const outcome = await store.add().catch((error: StoreError) => error.fault)
    await firstTry.promise
    // After a deadline, the pool first connects again, which takes longer than the pause before another try.
    const rows: number[] = []
    await until(() =>
      store.rows().then(
        (count) => rows.push(count) > 0,
        () => false,
      ),
    )
    expect({ outcome, tries, rows }).toEqual(expected)
  })

  describeProgram('pgbouncer', (program) => {
    const ignore_startup_parameters =
      'statement_timeout,idle_in_transaction_session_timeout,default_transaction_isolation'
    const session = { pool_mode: 'session', ignore_startup_parameters }
    const oneConnection = { ...session, default_pool_size: '1' }

    const isConnected = (sql: SQL) =>
      sql`SELECT 1`.then(
        () => true,
        () => false,
      )

    /** The URL of a database with the current schema, directly and through PgBouncer. */
    async function openPooled(settings: Record<string, string>) {
      const url = await server.createDatabase()
      await (await openPatiently(url))[Symbol.asyncDispose]()
      const pooler = await server.startPooler(program, settings)
      return { url, pooled: Object.assign(new URL(url), { port: pooler.port }).href, close: pooler }
    }

    test.each<[string, Record<string, string>, StoreFault]>([
      ['that pools transactions', { ...session, pool_mode: 'transaction' }, 'transaction_pooling'],
      [
        'that rejects a setting',
        { pool_mode: 'session', ignore_startup_parameters: 'statement_timeout' },
        'rejected_settings',
      ],
      ['whose pool is full', { ...oneConnection, query_wait_timeout: '1' }, 'too_many_connections'],
      ['that accepts no more clients', { ...session, max_client_conn: '1' }, 'too_many_connections'],
      ['with another user', { ...session, auth_type: 'md5', auth_file: '/dev/null' }, 'access_denied'],
    ])('one %s', async (_, settings, fault) => {
      const { pooled, close } = await openPooled(settings)
      await using _pooler = close
      await using other = new SQL({ url: pooled, max: 1 })
      if (fault !== 'access_denied') await until(() => isConnected(other))
      await expect(inspectPostgres(pooled)).rejects.toMatchObject({ fault })
      await expect(openPostgres({ url: pooled, maxResults: 1 })).rejects.toMatchObject({ fault })
    })

    test.each([
      ['that rejects the setting', session],
      ['that ignores it', { ...session, ignore_startup_parameters: `${ignore_startup_parameters},search_path` }],
    ])('a user with another search_path, and one %s', async (_, settings) => {
      const { url, pooled, close } = await openPooled(settings)
      await using _pooler = close
      await using sql = new SQL({ url, max: 1 })
      await sql`CREATE SCHEMA app`
      const alter = `ALTER ROLE urlmeta IN DATABASE ${new URL(url).pathname.slice(1)} SET search_path =`
      await sql.unsafe(`${alter} app, public`)
      await expect(inspectPostgres(pooled)).rejects.toMatchObject({ fault: 'search_path' })
      await expect(openPostgres({ url: pooled, maxResults: 1 })).rejects.toMatchObject({ fault: 'search_path' })
      await sql.unsafe(`${alter} public`)
      // Another one, because a pooler keeps its connections.
      await using restarted = await server.startPooler(program, settings)
      await using stores = await openPatiently(Object.assign(new URL(url), { port: restarted.port }).href)
      expect(await stores.users.list()).toEqual([])
    })

    test('an inspection that has to wait for a connection ends at its deadline', async () => {
      const { pooled, close } = await openPooled(oneConnection)
      await using _pooler = close
      await using other = new SQL({ url: pooled, max: 1 })
      await other`SELECT 1`
      await expect(inspectPostgres(pooled, 500)).rejects.toMatchObject({ fault: 'timed_out' })
    })

    test('an inspection shows whether slow statements are cancelled, which needs a setting of the user', async () => {
      const before = await openPooled(session)
      await using _before = before.close
      expect(await inspectPostgres(before.pooled)).toMatchObject({ schema: 'current', cancelsStatements: false })
      await using sql = new SQL({ url: before.url, max: 1 })
      await sql`ALTER ROLE urlmeta SET statement_timeout = '2s'`
      const after = await openPooled(session)
      await using _after = after.close
      expect(await inspectPostgres(after.pooled)).toMatchObject({ cancelsStatements: true })
      await sql`ALTER ROLE urlmeta RESET statement_timeout`
    })
  })

  test(
    'a standby is reported as one',
    async () => {
      const url = await server.createDatabase()
      await (await openPatiently(url))[Symbol.asyncDispose]()
      await using standby = await server.startStandby()
      const copied = Object.assign(new URL(url), { port: standby.port }).href
      await expect(inspectPostgres(copied)).rejects.toMatchObject({ fault: 'standby' })
      await using stores = await openPatiently(copied)
      const key = { id: 'k1', userId: 'u1', name: 'k', hash: 'h', lastFour: '0000', createdAtMs: 1 }
      const user = { id: 'u1', email: 'jo@example.com', plan: 'free' as const, createdAtMs: 1 }
      await expect(stores.users.ensure(user)).rejects.toMatchObject({ fault: 'standby' })
      // Needs a serializable transaction, which a standby rejects with another error.
      await expect(stores.keys.create({ ...key, ...UNRESTRICTED }, 2)).rejects.toMatchObject({
        fault: 'standby',
      })
    },
    PATIENT_TEST_MS,
  )

  describe('a locked table', () => {
    const callMs = 500

    /** Stores whose tables are all locked until `unlock`. */
    async function openLocked() {
      await using stack = new AsyncDisposableStack()
      const url = await server.createDatabase()
      const stores = stack.use(await openPostgres({ url, maxResults: 1, deadlines: { ...PATIENT_POSTGRES, callMs } }))
      const sql = stack.adopt(new SQL({ url, max: 1 }), (open) => open.close())
      const locking = stack.adopt(new SQL({ url, max: 1 }), (open) => open.close())
      const tables = await sql<{ name: string }[]>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
      await locking.unsafe('BEGIN')
      await locking.unsafe(`LOCK TABLE ${tables.map(({ name }) => name).join(', ')}`)
      const unlock = () => locking.unsafe('ROLLBACK')
      const owned = stack.move()
      return { stores, sql, unlock, [Symbol.asyncDispose]: () => owned.disposeAsync() }
    }

    test.each<[store: string, call: (stores: Awaited<ReturnType<typeof openPostgres>>) => Promise<unknown>]>([
      ['with a sweep', ({ sessions }) => sessions.list('u1', 1)],
      ['without one', ({ users }) => users.list()],
    ])('ends a call of a store %s at its deadline', async (_, call) => {
      await using locked = await openLocked()
      const error: unknown = await call(locked.stores).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ fault: 'timed_out', cause: { message: `no response within ${callMs} ms` } })
      await locked.unlock()
    })

    test('does not end a sweep at the deadline of a call', async () => {
      await using locked = await openLocked()
      const { stores, sql, unlock } = locked
      const { usage, sessions, tickets, sharedResults, audit, keys, requestLog, alerts, results, renderedHosts } =
        stores
      const sweeps = Promise.all([
        sessions.sweep(1),
        tickets.sweep(1),
        sharedResults.sweep(1),
        audit.sweep(1),
        keys.sweep(1),
        requestLog.sweep(1),
        alerts.sweep(1),
        results.sweep(1, 1),
        renderedHosts.sweep(1, 1),
        usage.sweep('2026-11'),
        usage.sweepDays('2026-11-20'),
        stores.sweepReservations(),
      ])
      // The deadline of a call would have begun before its statement.
      const isLate = async () => {
        const [waiting] = await sql`
          SELECT count(*)::int AS late FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND clock_timestamp() - query_start > ${callMs} * interval '1 ms'`
        return waiting.late > 0
      }
      await Promise.race([until(isLate), sweeps])
      await unlock()
      expect(await sweeps).toHaveLength(12)
    })

    test('ends an inspection before its deadline', async () => {
      const url = await server.createDatabase()
      await using _ = await openPatiently(url)
      await using sql = new SQL({ url, max: 1 })
      await sql.begin(async (tx) => {
        await tx`LOCK TABLE urlmeta_migrations`
        await expect(inspectPostgres(url)).rejects.toMatchObject({
          fault: 'timed_out',
          cause: { message: 'canceling statement due to statement timeout (SQLSTATE 57014)' },
        })
      })
    })
  })

  test('a process that is suspended during its migration and continues later does not fail the one that took its lock', async () => {
    const url = await server.createDatabase()
    await using sql = new SQL({ url, max: 2 })
    await sql.unsafe('CREATE TABLE urlmeta_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)')
    const stopped = await sql.reserve()
    await stopped.unsafe('BEGIN')
    for (const { sql: statements, hash, folderMillis } of readMigrationFiles({
      migrationsFolder: 'drizzle/postgres',
    })) {
      for (const statement of statements) await stopped.unsafe(statement)
      await stopped.unsafe(`INSERT INTO urlmeta_migrations (hash, created_at) VALUES ('${hash}', ${folderMillis})`)
    }
    // A migration may take longer than the timeout of the user.
    await sql`ALTER ROLE urlmeta SET statement_timeout = '1s'`
    const opening = openPatiently(url)
    const isWaiting = () => sql`
      SELECT 1 FROM pg_stat_activity WHERE application_name = 'urlmeta migrations' AND wait_event_type = 'Lock'
        AND clock_timestamp() - query_start > interval '1.1 seconds'`
    while ((await isWaiting()).length === 0) await Bun.sleep(5)
    await stopped.unsafe('COMMIT')
    stopped.release()
    await using stores = await opening
    await sql`ALTER ROLE urlmeta RESET statement_timeout`
    expect(await stores.users.list()).toEqual([])
    expect(await sql`SELECT hash FROM urlmeta_migrations`).toHaveLength((await migrationsOf('postgres')).length)
  })
})
