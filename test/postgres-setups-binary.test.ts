import { connect, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'

import { SQL } from 'bun'

import { openWorkspace, type Workspace } from './executable.ts'
import { PATIENT_TEST_MS } from './patience.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { describePostgres } from './requirements.ts'
import { startTcpRelay } from './tcp-relay.ts'

setDefaultTimeout(PATIENT_TEST_MS)

describePostgres('a PostgreSQL database', (binDir) => {
  let server: PostgresServer
  let workspace: Workspace

  beforeAll(async () => {
    server = await startPostgres(binDir)
    workspace = openWorkspace()
  }, PATIENT_TEST_MS)
  afterAll(async () => {
    await workspace?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  }, PATIENT_TEST_MS)

  const envOf = (url: string) => ({ URLMETA_DATABASE_URL: url, URLMETA_SECRET: 's'.repeat(32) })

  async function execute(url: string, statements: readonly string[]) {
    await using sql = new SQL({ url, max: 1 })
    for (const statement of statements) await sql.unsafe(statement)
  }

  let roles = 0

  /** A new database and a new user of it, after `statements` in the database; `$user` is the name of the user. */
  async function setUp(statements: readonly string[], url?: string): Promise<string> {
    const created = url ?? (await server.createDatabase())
    const role = `role${roles++}`
    await execute(
      created,
      ['CREATE ROLE $user LOGIN SUPERUSER', ...statements].map((text) => text.replaceAll('$user', role)),
    )
    return Object.assign(new URL(created), { username: role }).href
  }

  async function databaseFindings(env: Record<string, string>) {
    const { stdout } = await workspace.run(['doctor', '--json'], env)
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; detail: string }[] }
    return checks.filter(({ name }) => name === 'database' || name === 'migrations')
  }

  describe('is used, with its tables in the schema public, if the user has', () => {
    test.each<[name: string, statements: string[]]>([
      ['a schema of its own name', ['CREATE SCHEMA AUTHORIZATION $user']],
      [
        'another schema first in its search_path',
        ['CREATE SCHEMA app', 'ALTER ROLE $user SET search_path = app, public'],
      ],
      ['an empty search_path', [`ALTER ROLE $user SET search_path = ''`]],
      ['a search_path to a schema that does not exist', ['ALTER ROLE $user SET search_path = nosuch']],
    ])('%s', async (_, statements) => {
      const url = await setUp(statements)
      const env = envOf(url)
      const service = await workspace.serve(env)
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
      expect(await workspace.run(['key', 'create', '--email', 'jo@example.com'], env)).toMatchObject({ code: 0 })
      expect((await databaseFindings(env)).map(({ status }) => status)).not.toContain('failed')
      await using sql = new SQL({ url, max: 1 })
      const schemas =
        await sql`SELECT DISTINCT schemaname AS name FROM pg_tables WHERE schemaname !~ '^(pg_|information_)'`
      expect(schemas.map(({ name }: { name: string }) => name)).toEqual(['public'])
      service.kill('SIGTERM')
      expect(await service.exited).toBe(0)
    })
  })

  test('whose tables were moved to another schema is still used', async () => {
    const url = await server.createDatabase()
    expect(await workspace.run(['key', 'create', '--email', 'jo@example.com'], envOf(url))).toMatchObject({ code: 0 })
    const moved = await setUp(
      [
        'CREATE SCHEMA app',
        `DO $$ DECLARE t record; BEGIN
          FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'urlmeta_migrations' LOOP
            EXECUTE format('ALTER TABLE public.%I SET SCHEMA app', t.tablename);
          END LOOP;
        END $$`,
        'ALTER ROLE $user SET search_path = app, public',
      ],
      url,
    )
    const { code, stdout } = await workspace.run(['user', 'list'], envOf(moved))
    expect([code, stdout]).toEqual([0, expect.stringContaining('jo@example.com')])
  })

  describe('is rejected in one line by the server, by commands and by doctor, with', () => {
    const encoded = async (encoding: string) => {
      const url = await server.createDatabase()
      const name = `in_${encoding.toLowerCase()}`
      await execute(url, [`CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`])
      return Object.assign(new URL(url), { pathname: `/${name}` }).href
    }
    const READ_ONLY = ['ALTER ROLE $user SET default_transaction_read_only = on']

    async function migrated() {
      const url = await server.createDatabase()
      await workspace.run(['user', 'list'], envOf(url))
      return url
    }

    test.each<[name: string, open: () => Promise<string>, reason: string]>([
      ['the encoding LATIN1', () => encoded('LATIN1'), 'the encoding of the database is not UTF8 (LATIN1)'],
      ['the encoding WIN1252', () => encoded('WIN1252'), 'the encoding of the database is not UTF8 (WIN1252)'],
      [
        'a user that is read-only by default',
        () => setUp(READ_ONLY),
        'transactions of the database user are read-only by default',
      ],
      [
        'tables, and a user that is read-only by default',
        async () => setUp(READ_ONLY, await migrated()),
        'transactions of the database user are read-only by default',
      ],
    ])('%s', async (_, open, reason) => {
      const env = envOf(await open())
      for (const args of [['serve'], ['key', 'create', '--email', 'jo@example.com']]) {
        const { code, stderr } = await workspace.run(args, { ...env, URLMETA_PORT: '0' })
        expect([code, stderr.split('\n')]).toEqual([1, [expect.stringContaining(`: ${reason}. `), '']])
      }
      expect(await databaseFindings(env)).toMatchObject([
        { name: 'database', status: 'failed', detail: reason },
        { name: 'migrations', status: 'failed', detail: reason },
      ])
    })
  })

  test('that reports an unknown error ends a command with one line, and with the stack trace only for debugging', async () => {
    const url = await server.createDatabase()
    await workspace.run(['user', 'list'], envOf(url))
    await execute(url, [
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a rule of ours'; END $$`,
      'CREATE TRIGGER fail BEFORE INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION fail()',
    ])
    const create = async (env: Record<string, string>) =>
      (await workspace.run(['key', 'create', '--email', 'jo@example.com'], { ...envOf(url), ...env })).stderr
    const line =
      'urlmeta: Unexpected error: a rule of ours (SQLSTATE P0001). URLMETA_LOG=debug prints where it occurred.\n'
    expect(await create({})).toBe(line)
    expect(await create({ URLMETA_LOG: 'debug' })).toMatch(/^urlmeta: Unexpected error: .*\nError: .*\n {4}at /)
  })

  test('with the encoding SQL_ASCII stores every text', async () => {
    const url = await server.createDatabase()
    await execute(url, [`CREATE DATABASE in_ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'`])
    const env = envOf(Object.assign(new URL(url), { pathname: '/in_ascii' }).href)
    const name = 'čeština 日本語 🎉'
    expect(await workspace.run(['key', 'create', '--email', 'jo@example.com', '--name', name], env)).toMatchObject({
      code: 0,
    })
    expect((await workspace.run(['key', 'list'], env)).stdout).toContain(name)
  })

  describe('that has no connection left', () => {
    const TOO_MANY = 'the database server accepts no more connections'

    /** How the server responds to a connection: as usual, with the reason why it accepts no more, or not at all. */
    type Response = 'accepts' | 'refuses' | 'hangs'

    /** The error of a server with too many connections. */
    function refusal(): Buffer {
      const fields = ['SFATAL', 'VFATAL', 'C53300', 'Msorry, too many clients already']
      const body = Buffer.from(`${fields.map((field) => `${field}\0`).join('')}\0`)
      const head = Buffer.from('E\0\0\0\0', 'latin1')
      head.writeInt32BE(body.length + 4, 1)
      return Buffer.concat([head, body])
    }

    /** The database behind a relay; `respond` gets the number of the connection, counted from 0. */
    async function openLimited(respond: (connection: number) => Response) {
      const url = await server.createDatabase()
      await workspace.run(['user', 'list'], envOf(url))
      let connections = 0
      const relay = await startTcpRelay((client) => {
        const response = respond(connections++)
        if (response === 'refuses') client.once('data', () => client.end(refusal()))
        if (response !== 'accepts') return new Socket()
        const upstream = connect(Number(new URL(url).port), '127.0.0.1')
        client.pipe(upstream).pipe(client)
        return upstream
      })
      const env = envOf(Object.assign(new URL(url), { port: relay.port }).href)
      return { env, [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose]() }
    }

    test('for the sign-in link is served with errors until it has one', async () => {
      let isFull = true
      // The first connection checks the schema.
      await using limited = await openLimited((connection) => (isFull && connection > 0 ? 'refuses' : 'accepts'))
      const service = await workspace.serve(limited.env)
      expect(service.output()).toContain(`"reason":"${TOO_MANY} (sorry, too many clients already (SQLSTATE 53300))"`)
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
      const headers = { 'x-api-key': `urlmeta_live_${'0'.repeat(32)}` }
      const response = await fetch(`${service.url}/v1/metadata?url=http://127.0.0.1/`, { headers })
      expect([response.status, await response.json()]).toEqual([500, { error: 'Internal server error' }])
      expect(await (await fetch(`${service.url}/readyz`)).json()).toEqual({ status: 'unavailable', reason: TOO_MANY })
      isFull = false
      while (!(await fetch(`${service.url}/readyz`)).ok) await Bun.sleep(10)
    })

    test('gives its reason to a command at once, also if it leaves other connections without a response', async () => {
      const responses: Response[] = ['accepts', 'refuses']
      await using limited = await openLimited((connection) => responses[connection] ?? 'hangs')
      const { code, stderr } = await workspace.run(['key', 'create', '--email', 'jo@example.com'], limited.env)
      expect([code, stderr]).toEqual([
        1,
        `urlmeta: Cannot use the database: ${TOO_MANY} (sorry, too many clients already (SQLSTATE 53300)). ` +
          'Raise max_connections of the server, or max_client_conn and the pool sizes of PgBouncer: each urlmeta process ' +
          'opens up to 8 connections.\n',
      ])
    })
  })
})
