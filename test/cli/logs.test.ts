import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'

import { SQL } from 'bun'

import { EXECUTABLE, openWorkspace, type Workspace } from '../executable.ts'
import { PATIENT_TEST_MS } from '../patience.ts'
import { startPostgres } from '../postgres.ts'
import { describePostgres } from '../requirements.ts'
import { openSite, page, until } from '../site.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const site = openSite((path) => page(path === '/gone' ? 404 : 200))
afterAll(() => site.close())
const { host } = new URL(site.urlOf('/'))

interface Line {
  id: string
  at: string
  key_id: string
  reason: string
  host: string | null
  path: string | null
  email: string
}

const linesOf = (stdout: string) => (stdout.match(/^\{.*\}$/gm) ?? []).map((line) => JSON.parse(line) as Line)

const DATABASES: [name: string, describeDatabase: typeof describePostgres][] = [
  ['SQLite', (name, tests) => void describe(name, () => tests(''))],
  ['PostgreSQL', describePostgres],
]

for (const [database, describeDatabase] of DATABASES) {
  describeDatabase(`urlmeta logs: ${database}`, (binDir) => {
    /** A server with two users, of whom Ann logs URLs. */
    async function open(place: Workspace) {
      await using stack = new AsyncDisposableStack()
      const server = binDir === '' ? null : stack.use(await startPostgres(binDir))
      const databaseUrl = await server?.createDatabase()
      const env = { ...site.env, ...(databaseUrl !== undefined && { URLMETA_DATABASE_URL: databaseUrl }) }
      const create = async (email: string) => {
        const { stdout } = await place.run(['key', 'create', '--email', email, '--plan', 'business', '--json'], env)
        return JSON.parse(stdout) as { key: string; id: string }
      }
      const [ann, jo] = [await create('ann@example.com'), await create('jo@example.com')]
      const sql = new SQL(databaseUrl ?? `sqlite://${join(place.dir, 'data/urlmeta.db')}`)
      await sql`UPDATE users SET logs_urls = true WHERE email = 'ann@example.com'`
      await sql.close()
      const service = await place.serve(env)
      const owned = stack.move()
      return {
        ann,
        jo,
        env,
        async request(key: string, path: string) {
          const query = new URLSearchParams({ url: site.urlOf(path) })
          const headers = { 'x-api-key': key }
          const response = await fetch(`${service.url}/v1/metadata?${query}`, { headers })
          return response.headers.get('x-request-id')!
        },
        logs: (...args: string[]) => place.run(['logs', ...args], env),
        [Symbol.asyncDispose]: () => owned.disposeAsync(),
      }
    }

    test('the newest requests of all users are printed, filtered, and followed', async () => {
      await using place = openWorkspace()
      await using opened = await open(place)
      const { ann, jo, env, request, logs } = opened
      expect(await logs()).toEqual({ code: 0, stdout: 'No requests.\n', stderr: '' })
      expect(await logs('--json')).toEqual({ code: 0, stdout: '', stderr: '' })

      const ids = [await request(ann.key, '/a?secret=1'), await request(jo.key, '/gone'), await request(jo.key, '/a')]
      await until(async () => linesOf((await logs('--json')).stdout).length === 3)
      const all = linesOf((await logs('--json')).stdout)
      expect(all).toMatchObject([
        { id: ids[0], reason: 'ok', key_id: ann.id, email: 'ann@example.com', host, path: '/a' },
        { id: ids[1], reason: 'http_status 404', key_id: jo.id, email: 'jo@example.com', host: null, path: null },
        { id: ids[2], reason: 'ok', key_id: jo.id, email: 'jo@example.com', host: null, path: null },
      ])
      expect(Object.keys(all[0]!)).toEqual(
        'id at key_id method format status reason cache latency_ms host path details user_id email'.split(' '),
      )
      const CASES: [args: string[], found: (string | undefined)[]][] = [
        [
          ['--key', jo.id],
          [ids[1], ids[2]],
        ],
        [['--key', 'unknown'], []],
        [
          ['--status', 'ok'],
          [ids[0], ids[2]],
        ],
        [['--status', 'failed'], [ids[1]]],
        [['--status', 'http_status 404'], [ids[1]]],
        [['--status', 'timeout'], []],
        [
          ['--limit', '2'],
          [ids[1], ids[2]],
        ],
        [['--limit', '1', '--status', 'ok', '--key', ann.id], [ids[0]]],
      ]
      for (const [args, found] of CASES) {
        const { stdout } = await logs('--json', ...args)
        expect([args, linesOf(stdout).map(({ id }) => id)]).toEqual([args, found as string[]])
      }
      const { stdout: shown } = await logs()
      const rows = shown.trimEnd().split('\n')
      expect(rows[0]).toMatch(/^TIME +STATUS +RESULT +LATENCY +USER +REQUEST ID +URL$/)
      expect(rows[1]).toMatch(
        new RegExp(`^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z +200 +ok +\\d+ ms +ann@example\\.com +${ids[0]} +${host}/a$`),
      )
      expect(rows[2]).toMatch(new RegExp(` 502 +http_status 404 +\\d+ ms +jo@example\\.com +${ids[1]}$`))
      expect(rows).toHaveLength(4)

      // On a terminal, until Ctrl-C.
      const followed = place.terminal(`exec ${EXECUTABLE} logs --follow --limit 1 --json`, env)
      const printed = () => linesOf(followed.output().replaceAll('\r', '')).map(({ id }) => id)
      await until(() => printed().length === 1)
      const later = await request(jo.key, '/b')
      await until(() => printed().length === 2)
      await request(jo.key, '/gone')
      await until(() => printed().length === 3)
      expect(printed().slice(0, 2)).toEqual([ids[2]!, later])
      followed.type('\x03')
      expect(await followed.exited).toBe(0)
      expect(printed()).toHaveLength(3)
    })
  })
}

test.each([['0'], ['10001'], ['many'], ['1.5'], ['']])('--limit %p is refused', async (limit) => {
  await using place = openWorkspace()
  const { code, stderr } = await place.run(['logs', '--limit', limit])
  expect([code, stderr]).toEqual([
    2,
    `urlmeta: option '--limit <number>' argument '${limit}' is invalid. Must be a whole number from 1 to 10000.\n`,
  ])
})
