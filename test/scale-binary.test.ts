import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'

import { SQL } from 'bun'

import type { PlanName } from '../src/core/plan.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { withinMinute } from './clock-minute.ts'
import { openWorkspace, type Service, type Workspace } from './executable.ts'
import { type Browser, createBrowser } from './http/browser.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { type RedisServer, startRedis } from './redis.ts'
import { describePostgres, describeRedis } from './requirements.ts'
import { createPostgresKey } from './new-key.ts'
import { openSite, page, until } from './site.ts'
import { isThorough } from './thorough.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const PER_MINUTE = 60
const PER_MONTH = 100

/** The responses to `/held/…`, which wait for `release`. */
let held: (() => void)[] = []
const site = openSite(async (pathname) => {
  if (pathname.startsWith('/held/')) await new Promise<void>((resolve) => held.push(resolve))
  return page()
})
afterAll(() => site.close())

const release = () => {
  for (const respond of held) respond()
  held = []
}

/** Concurrent clients under which a process is killed or restarted. */
const CLIENTS = isThorough ? { killed: 30, restarted: 8 } : { killed: 10, restarted: 3 }

/** The pause of a client between two requests, so that the load leaves processor time to other tests, in milliseconds. */
const PAUSE_MS = 100

interface Query {
  timeout?: string
  keepalive?: boolean
}

/** Requests metadata of a page of the site from a process or from the balancer, by default on a new connection. */
async function ask(at: { url: string }, key: string, path: string, { keepalive = false, ...query }: Query = {}) {
  const parameters = new URLSearchParams({ url: site.urlOf(path), timeout: '15000', ...query })
  const headers = { 'x-api-key': key }
  const response = await fetch(`${at.url}/v1/metadata?${parameters}`, { headers, keepalive })
  await response.arrayBuffer()
  return { status: response.status, cache: response.headers.get('x-cache') }
}

/** How many responses had each status. */
const countsOf = (responses: { status: number }[]) =>
  Object.fromEntries([...Map.groupBy(responses, ({ status }) => status)].map(([status, all]) => [status, all.length]))

describePostgres('three processes behind a load balancer, with PostgreSQL', (binDir) => {
  describeRedis('and Redis', (redisExecutable) => {
    let postgres: PostgresServer
    let redis: RedisServer
    let workspace: Workspace
    let env: Record<string, string>
    let services: Service[]
    let balancer: Balancer
    let sql: SQL

    beforeAll(async () => {
      ;[postgres, redis] = await Promise.all([startPostgres(binDir), startRedis(redisExecutable)])
      workspace = openWorkspace()
      const url = await postgres.createDatabase()
      sql = new SQL({ url, max: 1 })
      env = {
        URLMETA_DATABASE_URL: url,
        URLMETA_REDIS_URL: redis.url,
        URLMETA_SECRET: 'the-same-on-every-process-of-the-test',
        URLMETA_SHUTDOWN_DELAY: '5s',
        ...site.env,
        URLMETA_PLAN_FREE_PER_MONTH: String(PER_MONTH),
        URLMETA_PLAN_FREE_PER_MINUTE: '10000',
        URLMETA_PLAN_STARTER_PER_MINUTE: String(PER_MINUTE),
        URLMETA_PLAN_STARTER_KEYS: '1',
        URLMETA_PLAN_GROWTH_PER_MINUTE: '1000000',
        URLMETA_PLAN_GROWTH_PER_MONTH: '1000000',
      }
      services = await Promise.all([1, 2, 3].map(() => workspace.serve(env)))
      balancer = await startBalancer(services)
      await until(() => services.every(balancer.isReady))
    }, 180_000)
    afterAll(async () => {
      release()
      await balancer?.[Symbol.asyncDispose]()
      await workspace?.[Symbol.asyncDispose]()
      await sql?.close()
      await Promise.all([postgres?.[Symbol.asyncDispose](), redis?.[Symbol.asyncDispose]()])
    }, PATIENT_TEST_MS)

    const newKey = (email: string, plan: PlanName = 'growth') => createPostgresKey(workspace, env, { email, plan })

    async function usedBy(email: string): Promise<number> {
      const [row] = await sql`
        SELECT coalesce(max(m.used), 0) AS used FROM monthly_usage m JOIN users u ON u.id = m.user_id
        WHERE email = ${email}`
      return Number(row.used)
    }

    /** Signs in on one process with a link, and continues at the balancer. */
    async function signIn(email: string): Promise<Browser> {
      const { stdout } = await workspace.run(['user', 'sign-in-link', email, '--json'], env)
      const token = new URL((JSON.parse(stdout) as { url: string }).url).searchParams.get('token')!
      const browser = createBrowser(balancer.url)
      await browser.get(`${services[0]!.url}/sign-in/link?token=${token}`)
      await browser.send('/sign-in/link', { token })
      return browser
    }

    test('the minute limit is shared by all, exactly', async () => {
      const key = await newKey('minute@example.com', 'starter')
      await withinMinute(20)
      const responses = await Promise.all(Array.from({ length: 90 }, () => ask(balancer, key, '/minute')))
      expect(countsOf(responses)).toEqual({ 200: PER_MINUTE, 429: 90 - PER_MINUTE })
    }, 90_000)

    test(
      '600 concurrent requests get exactly the 100 of the month',
      async () => {
        const key = await newKey('month@example.com', 'free')
        const responses = await Promise.all(Array.from({ length: 600 }, () => ask(balancer, key, '/month')))
        expect(countsOf(responses)).toEqual({ 200: PER_MONTH, 429: 500 })
        expect(await usedBy('month@example.com')).toBe(PER_MONTH)
      },
      PATIENT_TEST_MS,
    )

    test('a page that one has fetched is a cache hit for the others', async () => {
      const key = await newKey('cache@example.com')
      const [one, two, three] = services as [Service, Service, Service]
      expect(await ask(one, key, '/cached')).toEqual({ status: 200, cache: 'MISS' })
      // A result is stored while its response is being sent.
      await until(async () => Number(await redis.command('ZCARD', 'urlmeta:results')) === site.requested.size)
      for (const service of [two, three, one]) {
        expect(await ask(service, key, '/cached')).toEqual({ status: 200, cache: 'HIT' })
      }
      expect(site.requested.get('/cached')).toBe(1)
      expect(await usedBy('cache@example.com')).toBe(4)
    })

    test(
      '50 identical requests cause one fetch',
      async () => {
        const key = await newKey('flight@example.com')
        const responses = Array.from({ length: 50 }, () => ask(balancer, key, '/held/once', { timeout: '15000' }))
        await until(() => held.length > 0)
        // All have been charged a slot, so all have reached the fetch.
        await until(async () => (await usedBy('flight@example.com')) === 50)
        release()
        expect(countsOf(await Promise.all(responses))).toEqual({ 200: 50 })
        expect(site.requested.get('/held/once')).toBe(1)
      },
      PATIENT_TEST_MS,
    )

    test('a session created on one works on all, and a key that it deactivates is rejected by all immediately', async () => {
      const browser = await signIn('jo@example.com')
      for (const { url } of services) expect((await browser.get(`${url}/keys`)).status).toBe(200)
      const created = await browser.send(`${balancer.url}/keys`, { name: 'mine' })
      const key = /urlmeta_live_\w+/.exec(created.body)![0]
      for (const service of services) expect((await ask(service, key, '/cached')).status).toBe(200)
      await browser.get(`${services[1]!.url}/keys`)
      const form = browser.page.document.querySelector('form[action$="/deactivate"]')!
      expect((await browser.send(form.getAttribute('action')!)).status).toBe(200)
      for (const service of services) expect((await ask(service, key, '/cached')).status).toBe(401)
    })

    test('a change of plan applies to the next request on all', async () => {
      const key = await newKey('plan@example.com', 'free')
      await sql`
        INSERT INTO monthly_usage SELECT id, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM'), ${PER_MONTH}
        FROM users WHERE email = 'plan@example.com'`
      for (const service of services) expect((await ask(service, key, '/cached')).status).toBe(429)
      expect((await workspace.run(['user', 'set-plan', 'plan@example.com', 'growth'], env)).code).toBe(0)
      for (const service of services) expect((await ask(service, key, '/cached')).status).toBe(200)
    })

    test('the page of a playground result can be requested from every process', async () => {
      const browser = await signIn('play@example.com')
      await browser.get(`${services[0]!.url}/playground`)
      const { url } = await browser.send('/playground', { url: site.urlOf('/play'), timeout: '5000' })
      expect(url.pathname).toStartWith('/playground/results/')
      for (const service of services) {
        const { status, body } = await browser.get(service.url + url.pathname)
        expect([status, body.includes('A saved page')]).toEqual([200, true])
      }
    })

    test(
      'kill -9 of one under load loses no counted response, and its open reservations are released',
      async () => {
        const email = 'kill@example.com'
        const key = await newKey(email)
        const killed = services[2]!
        let succeeded = 0
        let lost = 0
        const client = async () => {
          for (let n = 0; n < 15; n++) {
            const response = await ask(balancer, key, '/cached').catch(() => null)
            if (response?.status === 200) succeeded++
            else lost++
          }
        }
        const open = Array.from({ length: 5 }, (_, i) =>
          ask(killed, key, `/held/${i}`, { timeout: '15000' }).catch(() => null),
        )
        await until(() => held.length === 5)
        const clients = Array.from({ length: CLIENTS.killed }, client)
        await until(() => succeeded > 5 * CLIENTS.killed)
        killed.kill('SIGKILL')
        await Promise.all([...clients, ...open])
        release()

        expect(succeeded + lost).toBe(CLIENTS.killed * 15)
        // Some requests were charged, but the process was killed before it sent the response.
        const used = await usedBy(email)
        expect(used).toBeGreaterThanOrEqual(succeeded + 5)
        expect(used).toBeLessThanOrEqual(succeeded + 5 + lost)
        await sql`UPDATE metering_processes SET leased_until = now() - interval '1 minute'`
        // A server sweeps when it starts.
        services[2] = await workspace.serve(env)
        await until(async () => (await usedBy(email)) === used - 5)
        expect(await sql`SELECT 1 FROM usage_reservations WHERE open > 0`).toHaveLength(0)
        await until(() => services.every(balancer.isReady))
      },
      PATIENT_TEST_MS,
    )

    test('all are restarted one after the other under load, and no request fails', async () => {
      const email = 'restart@example.com'
      const key = await newKey(email)
      const statuses: { status: number }[] = []
      const end = new AbortController()
      const client = async () => {
        while (!end.signal.aborted) {
          statuses.push(await ask(balancer, key, '/cached', { keepalive: true }))
          await Bun.sleep(PAUSE_MS)
        }
      }
      const clients = Array.from({ length: CLIENTS.restarted }, client)
      for (const [i, service] of [...services].entries()) {
        // A fetch that takes longer than the delay is also finished.
        const slow = ask(service, key, `/held/restart/${i}`, { timeout: '15000' })
        await until(() => held.length === 1)
        service.kill('SIGTERM')
        await until(async () => (await fetch(`${service.url}/readyz`)).status === 503)
        expect((await ask(service, key, '/cached')).status).toBe(200)
        await until(() => service.output().includes('waiting for requests in progress'))
        release()
        expect((await slow).status).toBe(200)
        expect(await service.exited).toBe(0)
        services[i] = await workspace.serve(env)
        await until(() => services.every(balancer.isReady))
      }
      end.abort()
      await Promise.all(clients)
      expect(countsOf(statuses)).toEqual({ 200: statuses.length })
      expect(await usedBy(email)).toBe(statuses.length + 2 * 3)
    }, 90_000)
  })
})
