// Plays a year of operation in minutes: the executable is restarted every day with a clock that is a day later, and runs
// through the end of each month. Compares what the database counted with the responses, and prints sizes and warnings.
// usage: bun bench/main.ts year [DAYS]      (after `bun run build`; needs faketime; 365 days by default)
import { Database } from 'bun:sqlite'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { createInstallation, type Installation } from './servers.ts'
import { openShiftedClock, type ShiftedClock } from './shifted-clock.ts'

const DAY_MS = 86_400_000
/** The sample rows of the databases of earlier migrations are an hour older. */
const START_MS = Date.UTC(2026, 10, 20, 13)
/** A server does not trust a clock that is more than a day ahead of its latest sweep, so each day is a little shorter. */
const STEP_MS = DAY_MS - 60_000
const FIXTURES = join(import.meta.dir, '../test/fixtures/databases/sqlite')

const PAGES_PER_DAY = 10
/** The first request for a page is fetched, the second one is cached. */
const REQUESTS_PER_PAGE = 2
const SMALL_PER_MONTH = 100
/** Of the user with the small plan, who reaches 80 % on the sixteenth day of a month. */
const SMALL_REQUESTS_PER_DAY = 5
const KEPT_BACKUPS = 7
/** The users of the databases of earlier migrations. */
const SAMPLE_USERS = /^(jo|ann)@/

const PAGE = '<!doctype html><title>A page</title><meta name=description content=Text><link rel=icon href=/i><p>Text'

/** What happened, to be compared with what the installation says. */
interface Account {
  /** Successful responses by `email month`. */
  answered: Map<string, number>
  /** Responses with another status than expected. */
  problems: Map<string, number>
  /** The alerts that the webhook received, by `month threshold`. */
  alerts: Map<string, number>
}

const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
const monthOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 7)
const dateOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10)

export async function run([days = '365']: string[]) {
  const account: Account = { answered: new Map(), problems: new Map(), alerts: new Map() }
  using origin = startOrigin(account)
  using clock = openShiftedClock()
  clock.set(START_MS)
  using installation = createInstallation(origin.port!, {
    ...clock.env,
    URLMETA_PLAN_STARTER_PER_MONTH: String(SMALL_PER_MONTH),
    URLMETA_BACKUP_DIR: 'backups',
    URLMETA_BACKUP_KEEP: String(KEPT_BACKUPS),
    URLMETA_CHROMIUM: 'off',
  })
  const [oldest, ...others] = readdirSync(FIXTURES).toSorted()
  loadFixture(installation.dir, oldest!)
  const startedAt = performance.now()
  const warnings = await playDays(installation, clock, origin.port!, Number(days), account)
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
  console.log(`${days} days in ${minutes} minutes, from the database of ${oldest}`)
  printCounts(installation.dir, account)
  printSizes(installation.dir)
  console.log('\nwarnings and errors in the log, except failed requests:')
  for (const [text, times] of warnings) console.log(`  ${times} × ${text}`)
  for (const fixture of others) await upgrade(installation, fixture)
}

/** A site whose pages are all alike, which also receives the alerts. */
function startOrigin({ alerts }: Account) {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (request.method !== 'POST') return new Response(PAGE, { headers: { 'content-type': 'text/html' } })
      const { data } = (await request.json()) as { data: { month: string; threshold_percent: number } }
      add(alerts, `${data.month} ${data.threshold_percent}`)
      return new Response()
    },
  })
}

/** Plays the days, and returns the warnings and errors of the servers' logs with how often each was written. */
async function playDays(
  installation: Installation,
  clock: ShiftedClock,
  originPort: number,
  days: number,
  { answered, problems }: Account,
): Promise<Map<string, number>> {
  const steady = installation.createKey('steady@example.com')
  const small = installation.createKey('small@example.com')
  installation.command('user', 'set-plan', 'small@example.com', 'starter')
  setWebhook(installation.dir, 'small@example.com', `http://127.0.0.1:${originPort}/alerts`)
  let expiring = createExpiring(installation, clock.now())
  const warnings = new Map<string, number>()

  for (let day = 0; day < days; day++) {
    await using server = await installation.start()
    const request = async (email: string, key: string, path: string, expected: number[]) => {
      const query = new URLSearchParams({ url: `http://127.0.0.1:${originPort}${path}` })
      const response = await fetch(`${server.base}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })
      await response.arrayBuffer()
      if (response.ok) add(answered, `${email} ${monthOf(clock.now())}`)
      if (!expected.includes(response.status)) {
        add(problems, `${email} got ${response.status} instead of ${expected.join(' or ')} on ${dateOf(clock.now())}`)
      }
    }
    const playDay = async () => {
      for (let n = 0; n < PAGES_PER_DAY * REQUESTS_PER_PAGE; n++) {
        await request('steady@example.com', steady, `/${dateOf(clock.now())}/${n % PAGES_PER_DAY}`, [200])
      }
      for (let n = 0; n < SMALL_REQUESTS_PER_DAY; n++) {
        const used = answered.get(`small@example.com ${monthOf(clock.now())}`) ?? 0
        await request('small@example.com', small, `/${n}`, [used < SMALL_PER_MONTH ? 200 : 429])
      }
      await request('expiring@example.com', expiring.key, '/0', [clock.now() < expiring.endMs ? 200 : 401])
    }

    await playDay()
    const at = clock.now()
    if (monthOf(at + STEP_MS) !== monthOf(at)) {
      clock.set(Date.parse(`${monthOf(at + STEP_MS)}-01T00:00:10Z`))
      await clock.isRead()
      await playDay()
      // A key that has expired for a while is replaced by a new one.
      expiring = createExpiring(installation, clock.now())
    }
    await server.stop()
    for (const text of warningsOf(join(installation.dir, `log-${day + 1}`))) add(warnings, text)
    clock.set(at + STEP_MS)
  }
  return warnings
}

/** Creates a key that expires at the end of the day in two weeks. */
function createExpiring({ command }: Installation, nowMs: number): { key: string; endMs: number } {
  const lastDay = dateOf(nowMs + 14 * DAY_MS)
  const created = command('key', 'create', '--email', 'expiring@example.com', '--expires', lastDay, '--json')
  return { key: (JSON.parse(created) as { key: string }).key, endMs: Date.parse(lastDay) + DAY_MS }
}

/** The messages of a log with a level above info, except those of requests, with the error's message. */
function warningsOf(path: string): string[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return lines.flatMap((line) => {
    const { level, msg, err, error } = JSON.parse(line) as {
      level: string
      msg: string
      err?: { message: string }
      error?: string
    }
    return level === 'info' || msg === 'request' ? [] : [[level, msg, err?.message ?? error ?? ''].join(': ')]
  })
}

const databaseOf = (dir: string) => join(dir, 'data/urlmeta.db')

function setWebhook(dir: string, email: string, url: string) {
  using database = new Database(databaseOf(dir))
  database.run(
    `INSERT INTO alert_webhooks (user_id, url, secret, created_at) SELECT id, ?, 'secret', created_at FROM users WHERE email = ?`,
    [url, email],
  )
}

/** Replaces the data of the installation by a database of an earlier migration. */
function loadFixture(dir: string, fixture: string) {
  rmSync(join(dir, 'data'), { recursive: true, force: true })
  mkdirSync(join(dir, 'data'), { mode: 0o700 })
  using database = new Database(databaseOf(dir), { create: true })
  database.run(readFileSync(join(FIXTURES, fixture), 'utf8'))
}

function printCounts(dir: string, { answered, alerts, problems }: Account) {
  using database = new Database(databaseOf(dir), { readonly: true })
  const rows = database
    .query<{ name: string; used: number }, []>(
      `SELECT email || ' ' || month AS name, used FROM monthly_usage JOIN users ON users.id = user_id ORDER BY 1`,
    )
    .all()
  const charged = new Map(rows.filter(({ name }) => !SAMPLE_USERS.test(name)).map(({ name, used }) => [name, used]))
  const names = new Set([...answered.keys(), ...charged.keys()])
  const wrong = [...names].filter((name) => answered.get(name) !== charged.get(name))
  const sum = (counts: Map<string, number>) => [...counts.values()].reduce((total, n) => total + n, 0)
  console.log(`answered ${sum(answered)}, charged ${sum(charged)}, in ${names.size} pairs of user and month`)
  for (const name of wrong) console.log(`  ${name}: answered ${answered.get(name)}, charged ${charged.get(name)}`)
  const repeated = [...alerts].filter(([, times]) => times > 1)
  console.log(`alerts received: ${alerts.size}, ${repeated.length} of them more than once`)
  console.log(`unexpected responses: ${sum(problems)}`)
  for (const [problem, times] of problems) console.log(`  ${times} × ${problem}`)
  if (wrong.length + repeated.length + problems.size > 0) process.exitCode = 1
}

function printSizes(dir: string) {
  using database = new Database(databaseOf(dir), { readonly: true })
  const tables = [
    'api_keys',
    'daily_usage',
    'monthly_usage',
    'usage_alerts',
    'request_log',
    'sessions',
    'tickets',
    'audit_log',
  ]
  const rowsOf = (table: string) => database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()!.n
  console.log(`rows: ${tables.map((table) => `${table} ${rowsOf(table)}`).join(', ')}`)
  const files = readdirSync(join(dir, 'data')).filter((name) => name.includes('.db'))
  const sizes = files.map((name) => `${name} ${Math.round(statSync(join(dir, 'data', name)).size / 1_024)} KB`)
  console.log(`files: ${sizes.join(', ')}; ${readdirSync(join(dir, 'backups')).length} backups (${KEPT_BACKUPS} kept)`)
}

/** Starts the executable with a database of another earlier migration, a year after its rows. */
async function upgrade(installation: Installation, fixture: string) {
  loadFixture(installation.dir, fixture)
  await using server = await installation.start()
  const { ok } = await fetch(`${server.base}/readyz`)
  using database = new Database(databaseOf(installation.dir), { readonly: true })
  const { users } = database.query<{ users: number }, []>('SELECT count(*) AS users FROM users').get()!
  console.log(`upgrade of ${fixture}: ${ok ? 'ready' : 'not ready'}, ${users} users`)
  if (!ok || users === 0) process.exitCode = 1
}
