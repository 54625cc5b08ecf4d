import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { SQL } from 'bun'
import { drizzle as postgresDrizzle } from 'drizzle-orm/bun-sql'
import { drizzle as sqliteDrizzle } from 'drizzle-orm/bun-sqlite'

import { common } from '../src/store/postgres/dialect.ts'
import {
  BATCH_ROWS,
  columnsByName,
  EXPORTED_TABLES,
  type ExportedTable,
  type Row,
} from '../src/store/transfer/tables.ts'
import { EXECUTABLE, openWorkspace, type Service, type Workspace } from './executable.ts'
import { type Browser, createBrowser } from './http/browser.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { describePostgres } from './requirements.ts'
import { createKey } from './new-key.ts'
import { openSite, until } from './site.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const site = openSite()
afterAll(() => site.close())

const databaseOf = (workspace: Workspace) => join(workspace.dir, 'data/urlmeta.db')
const recordOf = (workspace: Workspace) => join(workspace.dir, 'data/moved.json')

/** Runs statements on the embedded database. */
function change(workspace: Workspace, ...statements: string[]) {
  using database = new Database(databaseOf(workspace))
  for (const statement of statements) database.run(statement)
}

/** The latest time of a JavaScript date. */
const LAST_DATE_MS = 8.64e15

/** Adds several batches of daily usage. */
const manyDays = (rows: number) =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
   INSERT INTO daily_usage SELECT 'many', 'key' || i, '2026-11-20', i, 0, 0, i FROM n`

/** Runs these PL/pgSQL statements before each insert into daily_usage. */
async function onInsert(sql: SQL, statements: string) {
  await sql.unsafe(`
    CREATE SEQUENCE inserted;
    CREATE FUNCTION on_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statements}; END $$;
    CREATE TRIGGER on_insert BEFORE INSERT ON daily_usage FOR EACH ROW EXECUTE FUNCTION on_insert()`)
}

/** Creates a copy of a migrated database and sets up `onInsert` there. Returns its URL. */
async function createDatabaseWith(server: PostgresServer, migrated: string, statements: string): Promise<string> {
  const to = await server.createDatabase(migrated)
  await using sql = new SQL({ url: to, max: 1 })
  await onInsert(sql, statements)
  return to
}

/** For `onInsert`: the second batch of days waits for the lock of `holdSecondBatch` in its first insert. */
const WAIT_IN_SECOND_BATCH = `
  IF nextval('inserted') = ${BATCH_ROWS + 1} THEN PERFORM pg_advisory_xact_lock_shared(1); END IF; RETURN NEW`

/** Locks the second batch of days for as long as this connection is open or until `releaseSecondBatch`. */
const holdSecondBatch = (sql: SQL) => sql`SELECT pg_advisory_lock(1)`
const releaseSecondBatch = (sql: SQL) => sql`SELECT pg_advisory_unlock(1)`

/** Whether one batch of days is copied and the next one waits. */
async function isSecondBatchHeld(sql: SQL): Promise<boolean> {
  const waiting = await sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`
  return waiting.length === 1
}

/** Signs in with a link from the command line. */
async function signIn(workspace: Workspace, { url }: Service, email: string, env: Record<string, string> = {}) {
  const { stdout } = await workspace.run(['user', 'sign-in-link', email, '--json'], env)
  const token = new URL((JSON.parse(stdout) as { url: string }).url).searchParams.get('token')!
  const browser = createBrowser(url)
  await browser.get(`${url}/sign-in/link?token=${token}`)
  await browser.send('/sign-in/link', { token })
  return browser
}

/** Opens the page of keys, and returns a function that sends its form to a server. */
async function openKeyForm(
  browser: Browser,
  { url }: Service,
): Promise<(to: Service, name: string) => Promise<string>> {
  const { document } = await browser.get(`${url}/keys`)
  const hidden = document.querySelectorAll('form[action="/keys"] input[type="hidden"]')
  const fields = hidden.map((input) => [input.getAttribute('name')!, input.getAttribute('value')!])
  return async (to, name) => {
    const { body } = await browser.send(`${to.url}/keys`, { ...Object.fromEntries(fields), name })
    return /urlmeta_live_\w+/.exec(body)![0]
  }
}

/** Rows of a table on both sides, in the same order and with all columns. */
async function bothSides(
  workspace: Workspace,
  sql: SQL,
  table: ExportedTable,
): Promise<[source: Row[], target: Row[]]> {
  using database = new Database(databaseOf(workspace), { readonly: true })
  const { SQLite: before, PostgreSQL: after } = table.in
  const source = sqliteDrizzle(database).select(columnsByName(before)).from(before).all()
  const target = await common(postgresDrizzle(sql)).select(columnsByName(after)).from(after)
  const inOrder = (rows: Row[]) =>
    rows
      .map((row) => Object.fromEntries(table.columns.map(({ name }) => [name, row[name]])))
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return [inOrder(source), inOrder(target)]
}

describePostgres('move', (binDir) => {
  let server: PostgresServer
  /** An empty database that a command has migrated. */
  let template: string

  beforeAll(async () => {
    server = await startPostgres(binDir)
    template = await server.createDatabase()
    await using workspace = openWorkspace()
    await workspace.run(['user', 'list'], { URLMETA_DATABASE_URL: template })
  }, 180_000)
  afterAll(() => server?.[Symbol.asyncDispose](), PATIENT_TEST_MS)

  const move = (workspace: Workspace, to: string, ...options: string[]) =>
    workspace.run(['move', '--from', 'sqlite', '--to', to, ...options])

  test(
    'copies every table; keys, usage, sessions, forms and deleted accounts work on the new server',
    async () => {
      await using workspace = openWorkspace()
      const key = await createKey(workspace)
      const before = await workspace.serve(site.env)
      for (const path of ['/1', '/2', '/3']) expect((await site.request(before, key, path)).status).toBe(200)
      // Jo has used two requests and deletes the account.
      const jo = await signIn(workspace, before, 'jo@example.com')
      const joKey = await (await openKeyForm(jo, before))(before, 'mine')
      for (const path of ['/1', '/2']) expect((await site.request(before, joKey, path)).status).toBe(200)
      await jo.get('/account')
      expect((await jo.send('/account/delete', { confirm: 'jo@example.com' })).url.pathname).toBe('/sign-in')
      const sendForm = await openKeyForm(await signIn(workspace, before, 'you@example.com'), before)
      before.kill('SIGTERM')
      await before.exited
      change(
        workspace,
        `INSERT INTO users SELECT 'u-unicode', 'zoë@example.com', 'business', ${LAST_DATE_MS}, 'Straße 𝒳 "'' \\ 名前', 'strasse x', 0, 1, 5000, NULL, 0`,
        `INSERT INTO users VALUES ('u-plain', 'plain@example.com', 'free', 0, NULL, '', NULL, 0, NULL, 1000000000, NULL)`,
        `INSERT INTO identities VALUES ('https://id.example', '${'s'.repeat(255)}', 'u-unicode', 1, '', 'émoji 🎉')`,
        `INSERT INTO identities VALUES ('https://id.example', '', 'u-plain', 1, 'a@b.example', '')`,
        `INSERT INTO removed_identities VALUES ('u-plain', 'https://id.example', 'Ω')`,
        `INSERT INTO api_keys VALUES ('k-off', 'u-plain', 'alt ☃', 'hash-off', 'abcd', 1, 2, 3, '["a.example"]', '["10.0.0.0/8"]', NULL, '["https://a.example"]', 4, 5, 6, 7)`,
        `INSERT INTO key_origins VALUES ('https://a.example', 'k-off')`,
        `INSERT INTO alert_webhooks VALUES ('u-plain', 'https://hook.example/ü', 'secret', 4)`,
        `INSERT INTO usage_alerts VALUES ('alert', 'u-plain', '2026-11', 80, 8, 10, 5, 1, 5, 6, NULL, 'HTTP 500', 'k-off', 'ключ', 7)`,
        `INSERT INTO sessions VALUES ('hash-s', 'u-plain', 1, 9007199254740991, 's1', 'Mozilla/5.0 ключ', 3)`,
        `INSERT INTO tickets VALUES ('hash-t', '{"x":"line\nbreak"}', 5, NULL)`,
        `INSERT INTO shared_results VALUES ('hash-r', 'r1', 'u-plain', 'https://example.com/ü', '{}', 1, 2)`,
        `INSERT INTO audit_log SELECT 'a-' || action, 1, NULL, action, NULL, 'gone@example.com', '' FROM audit_log LIMIT 1`,
        `INSERT INTO monthly_usage VALUES ('u-plain', '2026-11', 0), ('u-unicode', '2026-11', ${Number.MAX_SAFE_INTEGER})`,
        `INSERT INTO deleted_account_usage VALUES ('hash-d', '2026-10', 7)`,
        manyDays(2 * BATCH_ROWS + 1),
      )
      const to = await server.createDatabase()
      const { code, stdout, stderr } = await move(workspace, to, '--json')
      const moved = JSON.parse(stdout) as { tables: { name: string; rows: number }[] }
      const secretFile = join(workspace.dir, 'data/secret')
      expect([code, moved]).toEqual([
        0,
        {
          from: 'data/urlmeta.db',
          to: to.replace('secret', '••••'),
          tables: expect.any(Array),
          secret_file: secretFile,
          duration_ms: expect.any(Number),
        } as unknown as typeof moved,
      ])
      expect(stderr).toContain(`daily_usage: ${moved.tables.find(({ name }) => name === 'daily_usage')!.rows} verified`)

      await using sql = new SQL({ url: to, max: 1 })
      for (const table of EXPORTED_TABLES) {
        const [source, target] = await bothSides(workspace, sql, table)
        expect(source.length).toBeGreaterThan(0)
        expect(target).toEqual(source)
        expect(moved.tables).toContainEqual({ name: table.name, rows: source.length })
      }

      await using other = openWorkspace()
      const env = {
        ...site.env,
        URLMETA_DATABASE_URL: to,
        URLMETA_SECRET: readFileSync(secretFile, 'utf8').trim(),
      }
      const after = await other.serve(env)
      expect((await site.request(after, key, '/1')).headers.get('x-monthly-used')).toBe('4')
      // The session and the form come from the old server.
      expect(await sendForm(after, 'another')).toStartWith('urlmeta_live_')
      const joAgain = await openKeyForm(await signIn(other, after, 'jo@example.com', env), after)
      expect((await site.request(after, await joAgain(after, 'new'), '/1')).headers.get('x-monthly-used')).toBe('3')
      expect((await other.run(['user', 'list'], env)).stdout).toContain('zoë@example.com')
    },
    PATIENT_TEST_MS,
  )

  /** The emails of the users that a command lists. */
  async function usersOf(workspace: Workspace, env: Record<string, string> = {}): Promise<string[]> {
    const { stdout, stderr } = await workspace.run(['user', 'list', '--json'], env)
    if (stdout === '') throw new Error(stderr)
    return (JSON.parse(stdout) as { email: string }[]).map(({ email }) => email)
  }

  /** The emails of the users in the embedded database, and in PostgreSQL. */
  function usersBefore(workspace: Workspace): string[] {
    using database = new Database(databaseOf(workspace), { readonly: true })
    return database.query('SELECT email FROM users').values().flat() as string[]
  }
  const usersAfter = async (sql: SQL): Promise<string[]> => (await sql`SELECT email FROM users`.values()).flat()

  test(
    'after kill -9 in the middle, it starts again from an empty database',
    async () => {
      await using workspace = openWorkspace()
      await createKey(workspace)
      const rows = 3 * BATCH_ROWS
      change(workspace, manyDays(rows))
      const to = await createDatabaseWith(server, template, WAIT_IN_SECOND_BATCH)
      await using sql = new SQL({ url: to, max: 1 })
      await holdSecondBatch(sql)
      const child = Bun.spawn([EXECUTABLE, 'move', '--from', 'sqlite', '--to', to], {
        cwd: workspace.dir,
        env: { URLMETA_CHROMIUM: 'off' },
        stdout: 'ignore',
        stderr: 'ignore',
      })
      await until(() => isSecondBatchHeld(sql))
      child.kill('SIGKILL')
      await child.exited

      const unfinished = `a move of the database to ${to.replace('secret', '••••')} has not finished`
      const old = await workspace.run(['key', 'list'])
      expect([old.code, old.stderr]).toEqual([1, expect.stringContaining(unfinished) as unknown as string])
      expect(old.stderr).toContain(
        `Run the same urlmeta move command again. To keep this database instead, delete data/moved.json`,
      )
      expect(await usersAfter(sql)).toEqual([])

      // The server is still in the killed batch.
      await releaseSecondBatch(sql)
      await until(async () => (await sql`SELECT 1 FROM pg_locks WHERE relation = 'daily_usage'::regclass`).length === 0)
      expect((await move(workspace, to)).code).toBe(0)
      const daily = EXPORTED_TABLES.find(({ name }) => name === 'daily_usage')!
      const [source, target] = await bothSides(workspace, sql, daily)
      expect([target.length, target]).toEqual([rows, source])
      // The first batch was written twice.
      const [{ last_value: inserted }] = await sql`SELECT last_value FROM inserted`
      expect(Number(inserted)).toBeGreaterThan(rows + BATCH_ROWS)
      expect(await usersOf(workspace, { URLMETA_DATABASE_URL: to })).toEqual(['you@example.com'])
    },
    PATIENT_TEST_MS,
  )

  test(
    'when PostgreSQL stops in the middle, it fails with one line and starts again from an empty database',
    async () => {
      await using workspace = openWorkspace()
      await createKey(workspace)
      change(workspace, manyDays(2 * BATCH_ROWS))
      const to = await createDatabaseWith(server, template, WAIT_IN_SECOND_BATCH)
      const sql = new SQL({ url: to, max: 1 })
      await holdSecondBatch(sql)
      const moving = move(workspace, to)
      await until(() => isSecondBatchHeld(sql))
      await server.stop()
      await sql.close()
      const { code, stderr } = await moving
      await server.start()
      expect([code, stderr.split('\n').at(-2)]).toEqual([
        1,
        `urlmeta: Cannot move data/urlmeta.db to ${to.replace('secret', '••••')}: the database server cannot be reached. Check ` +
          'that the server in URLMETA_DATABASE_URL is running, and that this machine can connect to it.',
      ])
      expect(await usersOf(workspace)).toEqual(['you@example.com'])
      expect((await move(workspace, to)).code).toBe(0)
    },
    PATIENT_TEST_MS,
  )

  test.each([
    ['a row is missing', 'IF NEW.successes = 2 THEN RETURN NULL; END IF; RETURN NEW'],
    ['a row differs', 'NEW.failures := NEW.successes; RETURN NEW'],
  ])('detects that %s, and starts again from an empty database', async (_, statements) => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    change(workspace, manyDays(3))
    const to = await createDatabaseWith(server, template, statements)
    const { code, stderr } = await move(workspace, to)
    expect([code, stderr.split('\n').at(-2)]).toEqual([
      1,
      `urlmeta: Cannot move data/urlmeta.db to ${to.replace('secret', '••••')}: the rows of daily_usage differ in ` +
        'PostgreSQL. Make sure that no server uses that database, and try again',
    ])
    await using sql = new SQL({ url: to, max: 1 })
    expect(await usersAfter(sql)).toEqual([])
    expect(usersBefore(workspace)).toEqual(['you@example.com'])
    await sql`DROP TRIGGER on_insert ON daily_usage`
    expect((await move(workspace, to)).code).toBe(0)
  })

  test('of two moves into one database, one fails', async () => {
    await using first = openWorkspace()
    await createKey(first)
    change(first, manyDays(2 * BATCH_ROWS))
    await using second = openWorkspace()
    await second.run(['key', 'create', '--email', 'second@example.com'])
    const to = await createDatabaseWith(server, template, WAIT_IN_SECOND_BATCH)
    await using sql = new SQL({ url: to, max: 1 })
    await holdSecondBatch(sql)
    const moving = move(first, to)
    await until(() => isSecondBatchHeld(sql))
    expect((await move(second, to)).code).toBe(0)
    await releaseSecondBatch(sql)
    expect((await moving).code).toBe(1)
    expect(await usersAfter(sql)).toEqual(['second@example.com'])
    expect(usersBefore(first)).toEqual(['you@example.com'])
  })

  test('waits for a command that has opened the database, and moves its changes', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    const to = await server.createDatabase()
    // As docs/postgresql.md sets it for PgBouncer, but shorter.
    await using sql = new SQL({ url: to, max: 1 })
    await sql.unsafe(
      `ALTER DATABASE ${new URL(to).pathname.slice(1)} SET idle_in_transaction_session_timeout = '300ms'`,
    )
    const command = new Database(databaseOf(workspace))
    command.run(manyDays(1))
    const moving = move(workspace, to, '--json')
    await until(() => existsSync(recordOf(workspace)))
    const recent = () => sql`
      SELECT 1 FROM pg_stat_activity
      WHERE application_name = 'urlmeta move' AND clock_timestamp() - state_change < interval '400 ms'`
    await until(async () => (await recent()).length === 0)
    command.run(`INSERT INTO monthly_usage VALUES ('late', '2026-11', 5)`)
    command.close()
    const { code, stdout } = await moving
    const { tables } = JSON.parse(stdout) as { tables: { name: string; rows: number }[] }
    expect([code, tables.find(({ name }) => name === 'monthly_usage')!.rows]).toEqual([0, 1])
  })

  test('an error of the database is one line, without the rows', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    change(workspace, manyDays(3))
    const to = await createDatabaseWith(server, template, `RAISE EXCEPTION 'no rows on Sundays'`)
    const { code, stderr } = await move(workspace, to)
    const masked = to.replace('secret', '••••')
    const why = 'no rows on Sundays (SQLSTATE P0001)'
    expect([code, stderr.split('\n').at(-2)]).toEqual([1, `urlmeta: Cannot move data/urlmeta.db to ${masked}: ${why}`])
  })

  test('a move that was killed before it recorded its end needs another empty database', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    const to = await server.createDatabase()
    expect((await move(workspace, to)).code).toBe(0)
    const record = JSON.parse(readFileSync(recordOf(workspace), 'utf8')) as object
    writeFileSync(recordOf(workspace), JSON.stringify({ ...record, finished_at: null }))
    const { code, stderr } = await move(workspace, to)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('it has data (api_keys, audit_log, users); use an empty database') as unknown as string,
    ])
    // A server may use the new database.
    expect((await workspace.run(['key', 'list'])).stderr).toContain('has not finished')
    expect((await move(workspace, await server.createDatabase())).code).toBe(0)
  })

  describe('fails and changes nothing,', () => {
    let workspace: Workspace
    beforeAll(async () => {
      workspace = openWorkspace()
      await createKey(workspace)
    })
    afterAll(() => workspace?.[Symbol.asyncDispose]())

    /** A database on the server, after some statements: a new one, or a copy of another. */
    async function databaseWith(statements: string[], copyOf?: string): Promise<string> {
      const url = await server.createDatabase(copyOf)
      await using sql = new SQL({ url, max: 1 })
      for (const statement of statements) await sql.unsafe(statement)
      return url
    }
    const database = (...statements: string[]) => databaseWith(statements)
    const migrated = (...statements: string[]) => databaseWith(statements, template)
    const onServer = async (name: string) => (await server.createDatabase()).replace(/[^/]*$/, name)

    test.each<[string, () => Promise<string>, why: string]>([
      [
        'with users',
        () => migrated(`INSERT INTO users VALUES ('u', 'a@b.example', 'free', 1, NULL, '', NULL)`),
        'it has data (users); use an empty database',
      ],
      [
        'with usage',
        () => migrated(`INSERT INTO monthly_usage VALUES ('u', '2026-11', 1)`),
        'it has data (monthly_usage); use an empty database',
      ],
      [
        'of a newer version',
        () => migrated(`UPDATE urlmeta_migrations SET created_at = 99999999999999`),
        'the database was written by a newer version of urlmeta; use an empty database',
      ],
      [
        'of an older version',
        () => migrated(`UPDATE urlmeta_migrations SET created_at = 1`),
        'the database was written by an older version of urlmeta; use an empty database',
      ],
      [
        'of another program',
        () => database('CREATE TABLE orders (id int)'),
        'the database belongs to another program; use an empty database',
      ],
      [
        'that is not there',
        () => onServer('absent'),
        'there is no such database on the server. Create the database (createdb), or correct its name in URLMETA_DATABASE_URL.',
      ],
      [
        'on no server',
        async () => 'postgres://jo:secret@127.0.0.1:1/urlmeta',
        'the database server cannot be reached. Check that the server in URLMETA_DATABASE_URL is running, and that this machine can connect to it.',
      ],
    ])('to a database %s', async (_, open, why) => {
      const to = await open()
      const { code, stdout, stderr } = await move(workspace, to)
      const masked = to.replace('secret', '••••')
      expect([code, stdout, stderr]).toEqual([1, '', `urlmeta: Cannot move data/urlmeta.db to ${masked}: ${why}\n`])
      expect(existsSync(recordOf(workspace))).toBe(false)
      expect(usersBefore(workspace)).toEqual(['you@example.com'])
    })

    test.each<[string, args: string[], line: string]>([
      [
        'with a URL of something else',
        ['--from', 'sqlite', '--to', 'mysql://jo:s3cret@host/db'],
        '--to: expected postgres://user:password@host:port/database, with % of the password as %25 (value not shown)',
      ],
      [
        'without a URL',
        ['--from', 'sqlite'],
        'Add --to postgres://user:password@host:port/database, or set URLMETA_DATABASE_URL.',
      ],
      ['without the source', ['--to', 'postgres://host/db'], "required option '--from <store>' not specified"],
      [
        'from another source',
        ['--from', 'redis', '--to', 'postgres://host/db'],
        "option '--from <store>' argument 'redis' is invalid. Allowed choices are sqlite.",
      ],
    ])('%s', async (_, args, line) => {
      expect(await workspace.run(['move', ...args])).toEqual({ code: 2, stdout: '', stderr: `urlmeta: ${line}\n` })
    })

    test('while a server runs', async () => {
      const to = await server.createDatabase()
      const service = await workspace.serve()
      const { code, stderr } = await move(workspace, to)
      expect([code, stderr]).toEqual([
        1,
        `urlmeta: Process ${service.pid} serves from ./data (URLMETA_DATA_DIR): stop it first\n`,
      ])
      service.kill('SIGTERM')
      await service.exited
      await using sql = new SQL({ url: to, max: 1 })
      expect(await sql`SELECT 1 FROM information_schema.tables WHERE table_schema = 'public'`).toHaveLength(0)
    })

    test('from a database with a trigger', async () => {
      await using other = openWorkspace()
      await createKey(other)
      change(other, `CREATE TRIGGER t AFTER INSERT ON sessions BEGIN UPDATE users SET plan = 'business'; END`)
      const { code, stderr } = await move(other, await server.createDatabase())
      expect([code, stderr.trimEnd().split('\n')]).toEqual([
        1,
        [expect.stringContaining('the database has an unknown schema (trigger "t" is not part of it). It is older')],
      ])
      expect((await other.run(['key', 'list'])).code).toBe(0)
    })

    test('from a directory without a database', async () => {
      await using empty = openWorkspace()
      const { code, stderr } = await move(empty, 'postgres://host/db')
      expect([code, stderr]).toEqual([
        1,
        'urlmeta: Cannot move data/urlmeta.db to postgres://host/db: there is no database in ./data (URLMETA_DATA_DIR)\n',
      ])
      expect(existsSync(join(empty.dir, 'data'))).toBe(false)
    })
  })

  describe('afterwards', () => {
    let workspace: Workspace
    let to: string
    let why: string
    let report: { stdout: string; stderr: string }
    beforeAll(async () => {
      workspace = openWorkspace()
      await createKey(workspace)
      await workspace.run(['backup', 'before.db'])
      to = await server.createDatabase()
      // With the URL from the environment, no password is in the list of processes.
      const env = { URLMETA_DATABASE_URL: to, URLMETA_SECRET: 'another-secret-than-the-one-in-the-file' }
      report = await workspace.run(['move', '--from', 'sqlite'], env)
      const { finished_at: at } = JSON.parse(readFileSync(recordOf(workspace), 'utf8')) as { finished_at: string }
      why = `the database was moved to ${to.replace('secret', '••••')} at ${at}`
    }, PATIENT_TEST_MS)
    afterAll(() => workspace?.[Symbol.asyncDispose]())

    const remedy =
      'Set URLMETA_DATABASE_URL to that database. To return to this database and lose later changes, delete data/moved.json.'

    test('the report lists the variables to set, and warns about a different secret', () => {
      expect(report.stdout).toContain(`URLMETA_DATABASE_URL=${to.replace('secret', '••••')}`)
      expect(report.stdout).toContain('URLMETA_SECRET: unchanged')
      expect(report.stderr).toContain('URLMETA_SECRET differs from the secret in ./data.')
    })

    test('the record contains no password, and only its owner can read it', async () => {
      expect(readFileSync(recordOf(workspace), 'utf8')).not.toContain('secret')
      expect((await workspace.shell('stat -c %a data/moved.json')).stdout).toBe('600\n')
    })

    test.each([[['serve']], [['key', 'create', '--email', 'you@example.com']], [['key', 'list']], [['user', 'list']]])(
      '%j refuses the old data directory',
      async (args) => {
        const { code, stdout, stderr } = await workspace.run(args)
        expect([code, stdout, stderr]).toEqual([
          1,
          '',
          `urlmeta: Cannot use the database in ./data (URLMETA_DATA_DIR): ${why}. ${remedy}\n`,
        ])
      },
    )

    test.each<[args: string[], message: () => string]>([
      [['backup', 'after.db'], () => `Cannot back up to after.db: ${why}. ${remedy}`],
      [['restore', 'before.db'], () => `Cannot restore before.db: ${why}; nothing was changed`],
      [
        ['move', '--from', 'sqlite', '--to', 'postgres://host/db'],
        () => `Cannot move data/urlmeta.db to postgres://host/db: ${why}. ${remedy}`,
      ],
    ])('%j explains it', async (args, message) => {
      const { code, stderr } = await workspace.run(args)
      expect([code, stderr]).toEqual([1, `urlmeta: ${message()}\n`])
    })

    test('doctor explains it', async () => {
      const { stdout } = await workspace.run(['doctor', '--json', '--url', site.urlOf('/')], site.env)
      const { checks } = JSON.parse(stdout) as { checks: { name: string }[] }
      expect(checks.find(({ name }) => name === 'database')).toEqual({
        name: 'database',
        status: 'failed',
        detail: why,
        remedy,
      } as unknown as { name: string })
    })

    test('with URLMETA_DATABASE_URL, commands use the new database in the same directory', async () => {
      const { code, stdout } = await workspace.run(['key', 'list'], { URLMETA_DATABASE_URL: to })
      expect([code, stdout]).toEqual([0, expect.stringContaining('you@example.com') as unknown as string])
    })

    test('without the record, the old database is used again; a second move into the same database fails', async () => {
      rmSync(recordOf(workspace))
      expect((await workspace.run(['key', 'list'])).code).toBe(0)
      const { stderr } = await move(workspace, to)
      expect(stderr).toContain('it has data (api_keys, audit_log, users); use an empty database')
      expect(existsSync(recordOf(workspace))).toBe(false)
    })
  })

  describe('progress', () => {
    test('on a terminal, it is a bar that is removed before the report', async () => {
      await using workspace = openWorkspace()
      await createKey(workspace)
      change(workspace, manyDays(4 * BATCH_ROWS))
      const terminal = workspace.terminal(`urlmeta move --from sqlite --to ${await server.createDatabase()}`)
      expect(await terminal.exited).toBe(0)
      const output = terminal.output()
      expect(output).toMatch(/[█░▓▒]/)
      expect(output).not.toMatch(/\u001b\[\?\d+[hl]/)
      expect(output).toContain('tables, verified, in')
      expect(output).toContain(`URLMETA_SECRET="$(cat ${join(workspace.dir, 'data/secret')})"`)
      expect(output).not.toContain(': 1 verified')
    })

    test('Ctrl-C stops it after a batch; it starts again from an empty database', async () => {
      await using workspace = openWorkspace()
      await createKey(workspace)
      change(workspace, manyDays(8 * BATCH_ROWS))
      const to = await createDatabaseWith(server, template, WAIT_IN_SECOND_BATCH)
      await using sql = new SQL({ url: to, max: 1 })
      await holdSecondBatch(sql)
      const terminal = workspace.terminal(`urlmeta move --from sqlite --to ${to}`)
      await until(() => isSecondBatchHeld(sql))
      await until(() => /[█░▓▒]/.test(terminal.output()))
      terminal.type('\u0003')
      await releaseSecondBatch(sql)
      expect(await terminal.exited).not.toBe(0)
      expect(terminal.output()).toContain('interrupted. Run the same command again.')
      expect(existsSync(recordOf(workspace))).toBe(false)
      expect((await move(workspace, to)).code).toBe(0)
    })
  })
})
