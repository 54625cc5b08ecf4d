import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { SQL } from 'bun'

import { withinMinute } from './clock-minute.ts'
import { openWorkspace, type Service, type Workspace } from './executable.ts'
import { faketimeEnv, removeFaketimeLeftovers } from './faketime.ts'
import { startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'
import { describePostgres, describeProgram, describeRedis } from './requirements.ts'
import { createKey } from './new-key.ts'
import { openSite, until } from './site.ts'
import { typicalCases } from './thorough.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const DAY_MS = 86_400_000
const site = openSite()
const PAUSED = 'deleting expired rows is paused'

afterAll(() => site.close())

/** The rows that a clock 400 days ahead would delete. */
const KEPT_TABLES = ['sessions', 'tickets', 'audit_log', 'daily_usage']

/** One row for each of these tables, from now. A sign-in link and an audit entry exist already. */
function newRows(userId: string): string[] {
  const nowMs = Date.now()
  const today = new Date(nowMs).toISOString().slice(0, 10)
  const sessionColumns = 'id, token_hash, user_id, user_agent, created_at, last_seen_at, expires_at'
  const usageColumns = 'user_id, key_id, day, successes, cache_hits, failures, last_used_at'
  return [
    `INSERT INTO sessions (${sessionColumns}) VALUES ('s', 'h', '${userId}', '', ${nowMs}, ${nowMs}, ${nowMs + 30 * DAY_MS})`,
    `INSERT INTO daily_usage (${usageColumns}) VALUES ('${userId}', 'k', '${today}', 3, 0, 0, ${nowMs})`,
  ]
}

describeProgram('faketime', (faketime) => {
  afterAll(removeFaketimeLeftovers)

  describe('a clock that jumps ahead by 400 days, with SQLite', () => {
    let AHEAD: Record<string, string>
    beforeAll(() => void (AHEAD = faketimeEnv(faketime, '+400d')))

    /** A database with a row in each table, which the commands have created. */
    async function newDatabase(workspace: Workspace) {
      await createKey(workspace)
      await workspace.run(['user', 'sign-in-link', 'you@example.com'])
      const database = new Database(join(workspace.dir, 'data/urlmeta.db'))
      database.run('PRAGMA busy_timeout = 5000')
      const { id } = database.query<{ id: string }, []>('SELECT id FROM users').get()!
      for (const statement of newRows(id)) database.run(statement)
      const count = (table: string) => database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()!.n
      const links = database.query<{ hash: string }, []>('SELECT hash FROM tickets').all()
      return {
        database,
        counts: () => KEPT_TABLES.map(count),
        hasFirstLink: () => database.query('SELECT 1 FROM tickets WHERE hash = ?').get(links[0]!.hash) !== null,
      }
    }

    const stop = async (service: Service) => {
      service.kill('SIGTERM')
      expect(await service.exited).toBe(0)
    }
    const pausedOf = async ({ url }: Service) =>
      /\nurlmeta_sweep_paused (\d)/.exec(await (await fetch(`${url}/metrics`)).text())?.[1]

    async function diagnose(workspace: Workspace, env: Record<string, string>, ...args: string[]) {
      const command = ['doctor', '--json', '--url', site.urlOf('/'), ...args]
      const { stdout } = await workspace.run(command, { ...site.env, ...env })
      const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; remedy?: string }[] }
      return checks.find(({ name }) => name === 'expired rows')
    }

    test('deletes nothing until an operator confirms it; the log, doctor and metrics say so', async () => {
      await using workspace = openWorkspace()
      const { database, counts, hasFirstLink } = await newDatabase(workspace)
      using _ = database
      await stop(await workspace.serve())
      const before = counts()
      const ahead = await workspace.serve(AHEAD)
      await until(() => ahead.output().includes(PAUSED))
      expect(await pausedOf(ahead)).toBe('1')
      expect(await diagnose(workspace, AHEAD)).toMatchObject({ status: 'failed' })
      await stop(ahead)
      // Rows that it has written do not make its time trusted.
      const again = await workspace.serve(AHEAD)
      await until(() => again.output().includes(PAUSED))
      for (const [i, count] of counts().entries()) expect(count).toBeGreaterThanOrEqual(before[i]!)
      expect(hasFirstLink()).toBe(true)
      expect(again.output().split(PAUSED)).toHaveLength(2)
      await stop(again)

      expect(await diagnose(workspace, AHEAD, '--confirm-clock')).toMatchObject({ status: 'ok' })
      const confirmed = await workspace.serve(AHEAD)
      await until(() => !hasFirstLink())
      expect([await pausedOf(confirmed), confirmed.output().includes(PAUSED)]).toEqual(['0', false])
    })

    test('is compared with the rows of a database that no server has used yet', async () => {
      await using workspace = openWorkspace()
      const { database, hasFirstLink } = await newDatabase(workspace)
      using _ = database
      expect(await diagnose(workspace, {})).toMatchObject({ status: 'skipped' })
      const ahead = await workspace.serve(AHEAD)
      await until(() => ahead.output().includes(PAUSED))
      await stop(ahead)
      const corrected = await workspace.serve()
      await until(async () => (await diagnose(workspace, {}))?.status === 'ok')
      expect([hasFirstLink(), corrected.output().includes(PAUSED)]).toEqual([true, false])
    })

    test('cannot be confirmed where no server has run', async () => {
      await using workspace = openWorkspace()
      const { code, stdout, stderr } = await workspace.run(['doctor', '--confirm-clock'])
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toBe(
        'urlmeta: There is no clock to confirm: no server with SQLite has run in the data directory\n',
      )
    })
  })

  test('a response after the end of the month says when the quota of its request was reset', async () => {
    await using workspace = openWorkspace()
    const offsetFile = join(workspace.dir, 'offset')
    const setClock = (time: string) => {
      const seconds = Math.round((Date.parse(time) - Date.now()) / 1_000)
      writeFileSync(`${offsetFile}.new`, `${seconds < 0 ? '' : '+'}${seconds}`)
      // Atomic, because the server reads the file all the time.
      renameSync(`${offsetFile}.new`, offsetFile)
    }
    setClock('2026-11-30T23:00:00Z')
    const { LD_PRELOAD } = faketimeEnv(faketime, '+0d')
    const service = await workspace.serve({
      ...site.env,
      LD_PRELOAD,
      FAKETIME_TIMESTAMP_FILE: offsetFile,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      URLMETA_PLAN_FREE_PER_MONTH: '1',
    })
    const { response, release } = await site.requestHeld(service, await createKey(workspace))
    setClock('2026-12-01T00:30:00Z')
    release()
    const { status, headers } = await response
    expect([status, headers.get('ratelimit')]).toEqual([200, '"minute";r=9;t=0, "month";r=0;t=0'])
  })

  describePostgres('a process whose clock is ahead, with PostgreSQL', (binDir) => {
    test.each(typicalCases(['+20m', '+400d'], (shift) => shift === '+400d'))(
      'by %s deletes nothing of the others',
      async (shift) => {
        await using server = await startPostgres(binDir)
        await using workspace = openWorkspace()
        const env = {
          URLMETA_DATABASE_URL: await server.createDatabase(),
          URLMETA_SECRET: 'the-same-on-every-process-of-the-test',
        }
        await using sql = new SQL({ url: env.URLMETA_DATABASE_URL, max: 1 })
        await workspace.serve(env)
        await createKey(workspace, env)
        await workspace.run(['user', 'sign-in-link', 'you@example.com'], env)
        const [user] = await sql`SELECT id FROM users`
        for (const statement of newRows(user.id)) await sql.unsafe(statement)
        const [link] = await sql`SELECT hash FROM tickets ORDER BY expires_at DESC`
        const counts = async () =>
          Promise.all(
            KEPT_TABLES.map(async (table) => Number((await sql.unsafe(`SELECT count(*) AS n FROM ${table}`))[0].n)),
          )
        const before = await counts()
        await sql`INSERT INTO tickets (hash, payload, expires_at) VALUES ('old', '', ${Date.now() - 1})`
        // Deleted at the end of the next sweep.
        await sql`INSERT INTO metering_processes (id, batch, leased_until) VALUES ('gone', 0, now() - interval '2 days')`
        await workspace.serve({ ...env, ...faketimeEnv(faketime, shift) })
        await until(async () => (await sql`SELECT 1 FROM metering_processes WHERE id = 'gone'`).length === 0)
        for (const [i, count] of (await counts()).entries()) expect(count).toBeGreaterThanOrEqual(before[i]!)
        expect(await sql`SELECT hash FROM tickets WHERE hash IN ('old', ${link.hash})`).toEqual([link])
      },
    )
  })

  describeRedis('two processes whose clocks are 90 s apart, with Redis', (executable) => {
    test('share the minute of Redis, and tell clients to wait for its end', async () => {
      await using redis = await startRedis(executable)
      await using workspace = openWorkspace()
      const env = { ...site.env, URLMETA_REDIS_URL: redis.url, URLMETA_PLAN_FREE_PER_MINUTE: '2' }
      const key = await createKey(workspace)
      await workspace.run(['backup', 'copy.db'])
      await workspace.run(['restore', 'copy.db'], { URLMETA_DATA_DIR: 'other' })
      const services = [
        await workspace.serve({ ...env, ...faketimeEnv(faketime, '+90s') }),
        await workspace.serve({ ...env, URLMETA_DATA_DIR: 'other' }),
      ]
      await withinMinute(10)
      const ask = async (i: number) => {
        const { status, headers } = await site.request(services[i]!, key, '/page')
        const retryAfter = headers.get('retry-after')
        return { status, retryAfter: retryAfter === null ? null : Number(retryAfter) }
      }
      expect([(await ask(0)).status, (await ask(1)).status]).toEqual([200, 200])
      const leftSeconds = () => 60 - ((Date.now() / 1_000) % 60)
      for (const i of [0, 1]) {
        const before = leftSeconds()
        const { status, retryAfter } = await ask(i)
        expect(status).toBe(429)
        expect(retryAfter).toBeWithin(Math.floor(leftSeconds()), Math.ceil(before) + 1)
      }
    }, 120_000)
  })
})
