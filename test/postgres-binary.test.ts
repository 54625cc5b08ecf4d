import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { SQL } from 'bun'

import { openWorkspace, type Service, type Workspace } from './executable.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { describePostgres } from './requirements.ts'
import { isThorough } from './thorough.ts'
import { createPostgresKey } from './new-key.ts'
import { migrationsOf } from './store/database-fixtures.ts'
import { PATIENT_TEST_MS } from './patience.ts'

/** The status of a database that answers; a busy machine answers slowly, which is a warning. */
const ANSWERING = expect.stringMatching(/^(?:ok|warning)$/)

const MIGRATIONS = await migrationsOf('postgres')

setDefaultTimeout(PATIENT_TEST_MS)

/** Responses to `/slow` that wait for `release`. */
let release: (() => void)[] = []
const origin = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch({ url }) {
    if (url.endsWith('/slow')) await new Promise<void>((resolve) => release.push(resolve))
    const headers = { 'content-type': 'text/html' }
    return new Response('<title>A page</title><link rel="icon" href="/i.png">', { headers })
  },
})
afterAll(() => origin.stop(true))

interface Answer {
  status: number
  body: Record<string, unknown>
  cache: string | null
}

async function ask({ url }: Service, key: string, path: string, query: Record<string, string> = {}): Promise<Answer> {
  const parameters = new URLSearchParams({ url: `http://127.0.0.1:${origin.port}${path}`, ...query })
  const response = await fetch(`${url}/v1/metadata?${parameters}`, { headers: { 'x-api-key': key } })
  const body = (await response.json()) as Answer['body']
  return { status: response.status, body, cache: response.headers.get('x-cache') }
}

async function until(condition: () => boolean | Promise<boolean>) {
  while (!(await condition())) await Bun.sleep(10)
}

describePostgres('three processes on one PostgreSQL database', (binDir) => {
  let server: PostgresServer
  let workspace: Workspace
  let env: Record<string, string>
  let services: Service[]
  let sql: SQL

  beforeAll(async () => {
    server = await startPostgres(binDir)
    workspace = openWorkspace()
    const url = await server.createDatabase()
    sql = new SQL({ url, max: 1 })
    env = {
      URLMETA_DATABASE_URL: url,
      URLMETA_SECRET: 'the-same-on-every-process-of-the-test',
      URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}`,
      URLMETA_PLAN_FREE_PER_MINUTE: '10000',
    }
    services = await Promise.all([1, 2, 3].map(() => workspace.serve(env)))
  }, 180_000)
  afterAll(async () => {
    await workspace?.[Symbol.asyncDispose]()
    await sql?.close()
    await server?.[Symbol.asyncDispose]()
  }, PATIENT_TEST_MS)

  /** The process to which the load balancer sends the request with this number. */
  const serviceOf = (i: number) => services[i % services.length]!

  const newKey = async (email: string) => ({ key: await createPostgresKey(workspace, env, { email }) })

  async function usedBy(email: string): Promise<number> {
    const [row] = await sql`
      SELECT coalesce(max(m.used), 0) AS used FROM monthly_usage m JOIN users u ON u.id = m.user_id WHERE email = ${email}`
    return Number(row.used)
  }

  test('they start together, migrate once, and leave nothing in the data directory', async () => {
    const [{ n }] = await sql`SELECT count(*) AS n FROM urlmeta_migrations`
    expect(Number(n)).toBe(MIGRATIONS.length)
    expect(existsSync(join(workspace.dir, 'data'))).toBe(false)
  })

  test(
    'processes that start together on an empty database migrate it once',
    async () => {
      const url = await server.createDatabase()
      const started = Array.from({ length: isThorough ? 10 : 4 }, () =>
        workspace.run(['user', 'list'], { ...env, URLMETA_DATABASE_URL: url }),
      )
      const codes = (await Promise.all(started)).map(({ code, stderr }) => [code, stderr])
      expect(codes).toEqual(codes.map(() => [0, '']))
      await using empty = new SQL({ url, max: 1 })
      expect(await empty`SELECT hash FROM urlmeta_migrations`).toHaveLength(MIGRATIONS.length)
    },
    PATIENT_TEST_MS,
  )

  test('a command waits for a lock for longer than a request would', async () => {
    await newKey('locked@example.com')
    const listed = await sql.begin(async (tx) => {
      await tx`LOCK TABLE users`
      let isRunning = true
      const command = workspace.run(['user', 'list'], env).finally(() => (isRunning = false))
      await using other = new SQL({ url: env['URLMETA_DATABASE_URL']!, max: 1 })
      const hasWaited = () => other`
        SELECT 1 FROM pg_stat_activity WHERE query LIKE '%from "users"%' AND wait_event_type = 'Lock'
          AND clock_timestamp() - query_start > interval '3.1 seconds'`
      await until(async () => !isRunning || (await hasWaited()).length > 0)
      return { command }
    })
    const { code, stdout, stderr } = await listed.command
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('locked@example.com')
  })

  test('a page that one has fetched is a cache hit for the others', async () => {
    const { key } = await newKey('cache@example.com')
    expect((await ask(serviceOf(0), key, '/shared')).cache).toBe('MISS')
    // A result is stored while its response is being sent.
    await until(async () => (await sql`SELECT 1 FROM results`).length > 0)
    for (const i of [0, 1, 2]) expect((await ask(serviceOf(i), key, '/shared')).cache).toBe('HIT')
    expect(await usedBy('cache@example.com')).toBe(4)
  })

  test(
    'without the database, requests fail immediately and /readyz has the reason; all recover without a restart',
    async () => {
      const { key } = await newKey('gone@example.com')
      expect((await ask(serviceOf(0), key, '/shared')).status).toBe(200)
      const pending = ask(serviceOf(1), key, '/slow', { cache: 'false', timeout: '15000' })
      release = []
      await until(() => release.length === 1)
      await server.stop()
      for (const i of [0, 1, 2]) {
        expect(await ask(serviceOf(i), key, '/shared')).toMatchObject({
          status: 500,
          body: { error: 'Internal server error' },
        })
        const ready = await fetch(`${serviceOf(i).url}/readyz`)
        expect([ready.status, await ready.json()]).toEqual([
          503,
          { status: 'unavailable', reason: 'the database server cannot be reached' },
        ])
      }
      // A response whose charge cannot be recorded is not sent.
      release[0]!()
      expect((await pending).status).toBe(500)
      await server.start()
      for (const i of [0, 1, 2]) {
        await until(async () => (await fetch(`${serviceOf(i).url}/readyz`)).ok)
        expect((await ask(serviceOf(i), key, '/shared')).status).toBe(200)
      }
      // The settlement of the failed request is retried, and releases its unit.
      await until(async () => (await usedBy('gone@example.com')) === 4)
    },
    PATIENT_TEST_MS,
  )

  test('SIGHUP applies a changed password, but not another database', async () => {
    const url = new URL(await server.createDatabase())
    const database = url.pathname.slice(1)
    await sql.unsafe(`CREATE ROLE rotated LOGIN PASSWORD 'first'`)
    await sql.unsafe(`ALTER DATABASE ${database} OWNER TO rotated`)
    // The other users of the tests need no password.
    await sql.unsafe(
      `COPY (SELECT 1) TO PROGRAM 'cat > /dev/null; sed -i "1i host all rotated 127.0.0.1/32 scram-sha-256" pg_hba.conf'`,
    )
    await sql`SELECT pg_reload_conf()`
    url.username = 'rotated'
    await using rotated = openWorkspace()
    const configure = (password: string, path = url.pathname) => {
      const changed = Object.assign(new URL(url), { password, pathname: path })
      writeFileSync(
        join(rotated.dir, '.env'),
        `URLMETA_DATABASE_URL=${changed.href}\nURLMETA_SECRET=${'s'.repeat(32)}\n`,
      )
    }
    configure('first')
    const service = await rotated.serve()
    const reload = async (message: string) => {
      const before = service.output().length
      service.kill('SIGHUP')
      await until(() => service.output().slice(before).includes(message))
      return service.output().slice(before)
    }
    const readiness = async () => (await fetch(`${service.url}/readyz`)).json() as Promise<{ reason?: string }>
    await sql.unsafe(`ALTER ROLE rotated PASSWORD 'second'`)
    // A connection that was authenticated with the first password, but is not listed yet, has to be ended too.
    await until(async () => {
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'rotated'`
      return (await readiness()).reason === 'the database server denies access'
    })
    configure('second')
    expect(await reload('configuration reloaded')).toContain('"changed":["URLMETA_DATABASE_URL"]')
    await until(async () => (await fetch(`${service.url}/readyz`)).ok)
    configure('third', '/postgres')
    expect(await reload('after a restart')).toContain('"variables":["URLMETA_DATABASE_URL"]')
    expect((await fetch(`${service.url}/readyz`)).ok).toBe(true)
  })

  describe('commands', () => {
    test('config shows the URL without its password', async () => {
      const { stdout } = await workspace.run(['config'], env)
      expect(stdout).toContain(env['URLMETA_DATABASE_URL']!.replace('secret', '••••'))
      expect(stdout).not.toContain(env['URLMETA_SECRET']!)
    })

    test.each([
      [
        ['backup', 'b.db'],
        'Cannot back up to b.db: the database is PostgreSQL (URLMETA_DATABASE_URL), which is backed up with pg_dump',
      ],
      [
        ['restore', 'b.db'],
        'Cannot restore b.db: the database is PostgreSQL (URLMETA_DATABASE_URL), which is restored with pg_restore',
      ],
    ])('%p names the tool for it', async (args, message) => {
      const { code, stderr } = await workspace.run(args, env)
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
    })

    test('user list and key list print what the servers have', async () => {
      await newKey('listed@example.com')
      for (const command of ['user', 'key']) {
        expect((await workspace.run([command, 'list'], env)).stdout).toContain('listed@example.com')
      }
    })

    test('a database that cannot be used is one line with the remedy', async () => {
      const gone = { ...env, URLMETA_DATABASE_URL: 'postgres://jo:s3cret@127.0.0.1:1/urlmeta' }
      for (const args of [['user', 'list'], ['serve']]) {
        const { code, stderr } = await workspace.run(args, gone)
        expect([code, stderr]).toEqual([
          1,
          'urlmeta: Cannot use the database postgres://jo:••••@127.0.0.1:1/urlmeta (URLMETA_DATABASE_URL): the database ' +
            'server cannot be reached (Failed to connect). Check that the server in URLMETA_DATABASE_URL is running, and that this machine can ' +
            'connect to it.\n',
        ])
      }
    })

    test.each([
      ['a database in use', {}, { database: ANSWERING, migrations: 'ok', secret: 'ok', backups: 'skipped' }],
      ['another base URL', { URLMETA_BASE_URL: 'http://127.0.0.1:1' }, { database: ANSWERING, 'base URL': 'warning' }],
      ['no shared secret', { URLMETA_SECRET: '' }, { database: ANSWERING, migrations: 'ok', secret: 'warning' }],
      [
        'no server',
        { URLMETA_DATABASE_URL: 'postgres://127.0.0.1:1/urlmeta' },
        { database: 'failed', migrations: 'failed', secret: 'ok' },
      ],
    ])(
      'doctor: %s',
      async (_, change, expected) => {
        const url = `http://127.0.0.1:${origin.port}/shared`
        const { stdout } = await workspace.run(['doctor', '--json', '--url', url], { ...env, ...change })
        const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; detail: string }[] }
        expect(Object.fromEntries(checks.map(({ name, status }) => [name, status]))).toMatchObject(expected)
        const detail = checks.find(({ name }) => name === 'database')!.detail
        expect(detail).toMatch(
          expected.database !== 'failed' ? /^PostgreSQL \d+\..* ms per round trip$/ : /cannot be reached/,
        )
      },
      PATIENT_TEST_MS,
    )
  })
})
