import { SQL } from 'bun'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, setSystemTime, test } from 'bun:test'
import { join } from 'node:path'

import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import { FAILURES_PER_MINUTE } from '../../src/service/usage/failed-authentications.ts'
import { LOGGED_PER_HOUR } from '../../src/service/usage/rejected-requests.ts'
import { PATIENT_TEST_MS } from '../patience.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { describePostgres } from '../requirements.ts'
import type { Browser, Visited } from './browser.ts'
import { newKeyIn } from './page-parts.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const UNKNOWN_KEY = `urlmeta_live_${'0'.repeat(32)}`

/** Keys that the dashboard creates per hour and user. */
const KEYS_PER_HOUR = 20

const DATABASES: [name: string, describeDatabase: typeof describePostgres][] = [
  ['SQLite', (name, tests) => void describe(name, () => tests(''))],
  ['PostgreSQL', describePostgres],
]

for (const [database, describeDatabase] of DATABASES) {
  describeDatabase(`requests with a key that has ended: ${database}`, (binDir) => {
    let server: PostgresServer | undefined
    let databaseUrl: string | undefined
    let service: SignInApp
    /** The messages that the webhook received. */
    const sent: { type: string; data: object }[] = []
    beforeAll(async () => {
      server = binDir === '' ? undefined : await startPostgres(binDir)
      databaseUrl = await server?.createDatabase()
      service = await startSignInApp({
        env: databaseUrl === undefined ? {} : { URLMETA_DATABASE_URL: databaseUrl },
        async origin(received) {
          if (received.method === 'POST') sent.push((await received.json()) as { type: string; data: object })
          return new Response('<title>T</title>')
        },
      })
    })
    afterAll(async () => {
      await service[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
    })

    function request(key: string, client = '198.51.100.1'): Promise<Response> {
      const query = new URLSearchParams({ url: `${service.app.origin}/page` })
      return fetch(`${service.app.url}/v1/metadata?${query}`, {
        headers: { 'x-api-key': key, 'x-forwarded-for': client, 'x-request-id': 'same' },
      })
    }

    const create = (email: string, expiresAtMs: number | null = null) =>
      service.app.accounts.createKey({ email, name: 'cron job', expiresAtMs })

    async function createDeactivated(email: string) {
      const created = await create(email)
      await service.app.accounts.deactivateKey(created.id)
      return created
    }

    /** The key that is deleted when another key is rotated at once beyond the maximum of keys. */
    async function createDeleted(email: string, browser: Browser) {
      for (let n = 2; n < KEYS_PER_HOUR; n++) await createDeactivated(email)
      const rotated = await create(email)
      const deleted = await createDeactivated(email)
      await browser.get(`/keys/${rotated.id}`)
      const page = await browser.send(`/keys/${rotated.id}/rotate`, { overlap: '0' })
      expect(newKeyIn(page)).not.toBeNull()
      return deleted
    }

    /** Reloads a page until it has this text; counts and rows are written once per second. */
    async function until(browser: Browser, path: string, text: string | RegExp): Promise<Visited> {
      const deadlineMs = performance.now() + PATIENT_TEST_MS / 12
      for (;;) {
        const page = await browser.get(path)
        const shown = page.document.querySelector('main')!.text
        if (typeof text === 'string' ? shown.includes(text) : text.test(shown)) return page
        if (performance.now() > deadlineMs) throw new Error(`${path} has no ${text}: ${shown}`)
        await Bun.sleep(100)
      }
    }

    /** Signs in by a link, so that each test has its own user. */
    async function signedIn(email: string): Promise<Browser> {
      const { token } = await service.app.accounts.createSignInLink(email)
      const browser = service.browser()
      await browser.get(`/sign-in/link?token=${token}`)
      await browser.send('/sign-in/link', { token })
      return browser
    }

    async function createRotated(email: string, expiresAtMs?: number) {
      const created = await create(email, expiresAtMs)
      await service.app.accounts.rotateKey(created.id, 0)
      return created
    }

    /** The start of the day, when keys expire. */
    const midnight = () => Math.floor(Date.now() / DAY_MS) * DAY_MS

    type CreateEnded = (email: string, browser: Browser) => Promise<{ id: string; key: string }>
    const ENDS: [name: string, end: string, link: string, create: CreateEnded][] = [
      ['expired', 'expired', 'Rotate', (owner) => create(owner, Date.now() - HOUR_MS)],
      ['rotated', 'rotated', 'cron job', (owner) => createRotated(owner)],
      ['rotated after its expiry', 'expired', 'cron job', (owner) => createRotated(owner, midnight())],
      ['deactivated', 'deactivated', 'Rotate', createDeactivated],
      ['deleted', 'deleted', '', createDeleted],
    ]

    test.each(ENDS)(
      '%s: the response is that of an unknown key, and the owner sees the requests',
      async (name, end, link, end_) => {
        const owner = `owner-${name.replaceAll(' ', '-')}@example.com`
        const browser = await signedIn(owner)
        const { id, key } = await end_(owner, browser)
        const [unknown, ...known] = await Promise.all([UNKNOWN_KEY, key, key, key].map((sentKey) => request(sentKey)))
        const partsOf = async (response: Response) => [
          response.status,
          await response.text(),
          [...response.headers.keys()],
        ]
        const expected = await partsOf(unknown!)
        expect(expected.slice(0, 2)).toEqual([401, '{"error":"Invalid API key"}'])
        for (const response of known) expect(await partsOf(response)).toEqual(expected)

        const [ending, logged] = end === 'rotated' ? [' and worked until', ', worked until'] : [' on', ' on']
        const rejected = new RegExp(
          `${end}${ending} \\d+ \\w+ \\d{4}, [\\d:]+ UTC\\s*: 3 requests\\s+rejected since \\d+ \\w+ \\d{4}, [\\d:]+ UTC\\s*, the latest just now`,
        )
        const page = await until(browser, `/keys/${id}`, rejected)
        // A request that was rejected is not a use of the key.
        expect(page.document.querySelector('main')?.text).toMatch(/last used\s+never/)
        const overview = await until(browser, '/', rejected)
        const callout = overview.document.querySelector('.callout.bad')!
        expect(callout.text).toContain('cron job')
        const [, second] = callout.querySelectorAll('a')
        expect(second?.text ?? '').toContain(link)
        // The start of the page has its heading and the form.
        if (link === 'Rotate') expect(second!.getAttribute('href')).toBe(`/keys/${id}`)
        if (link === 'cron job') expect(callout.text).toMatch(/Replaced by\s+cron job …\w{4}\s+on \d+ \w+ \d{4}/)
        // Failures of days are written after the key.
        await until(browser, '/', /Failed\s*3(?!\d)/)
        const log = await until(browser, `/usage/requests?key=${id}`, new RegExp(`key ${end}${logged} \\d+ \\w+`))
        const rows = log.document.querySelectorAll('.requests > li').map(({ text }) => text)
        expect(rows).toHaveLength(3)
        for (const row of rows) expect(row).toMatch(/401.*key \w+(?: on|, worked until) \d+ \w+.*cron job/s)
        const csv = await browser.get(`/usage/requests.csv?key=${id}`)
        expect(csv.body).toMatch(new RegExp(`cron job,GET,401,key_${end} \\d{4}-\\d\\d-\\d\\d,`))
        // Rejected requests are not charged.
        expect(overview.document.querySelector('[aria-labelledby="month"]')?.text).toContain('0 of 1,000 requests')
        await service.app.logged({ status: 401, key: id, outcome: 'unauthorized' })
      },
    )

    test('unknown keys write nothing', async () => {
      const { id, key } = await createDeactivated('stranger@example.com')
      const file = `sqlite://${join(service.app.dataDir, 'urlmeta.db')}`
      await using sql = new SQL(databaseUrl ?? file)
      const counts = async () => {
        const [row] = await sql`SELECT (SELECT count(*) FROM request_log) AS logged,
          (SELECT coalesce(sum(failures), 0) FROM daily_usage) AS failures, (SELECT count(*) FROM api_keys) AS keys,
          (SELECT coalesce(sum(rejected_requests), 0) FROM api_keys) AS rejected`
        return Object.values(row as object).map(Number)
      }
      const before = await counts()
      const unknown = Array.from({ length: 100 }, (_, n) => `urlmeta_live_${String(n).padStart(32, 'f')}`)
      for (const { status } of await Promise.all(unknown.map((one) => request(one)))) expect(status).toBe(401)
      // Written after the requests above, if those were written.
      await request(key)
      const browser = await signedIn('stranger@example.com')
      await until(browser, `/keys/${id}`, '1 request')
      await until(browser, '/usage/requests', 'key deactivated on')
      const [logged, failures, keys, rejected] = before
      expect(await counts()).toEqual([logged! + 1, failures! + 1, keys!, rejected! + 1])
    })

    test('a rejected request is reported to the webhook, once for each key', async () => {
      const browser = await signedIn('watched@example.com')
      await browser.get('/account')
      await browser.send('/account/alerts', { url: `${service.app.origin}/hook` })
      const { id, key } = await create('watched@example.com', Date.now() - DAY_MS)
      await request(key)
      await until(browser, `/keys/${id}`, '1 request')
      // Saving the URL starts a check.
      const reported = () => sent.filter(({ type }) => type === 'key.expired')
      for (let n = 0; n < 2; n++) {
        await browser.get('/account')
        await browser.send('/account/alerts', { url: `${service.app.origin}/hook` })
        await until(browser, '/account', /Key cron job ended on .*: 1 request rejected\s*Delivered/)
        await request(key)
        await until(browser, `/keys/${id}`, `${n + 2} requests`)
      }
      expect(reported()).toMatchObject([{ data: { key_id: id, key_name: 'cron job', rejected_requests: 1 } }])
    })

    test('an expired key is rotated with one click, within the maximum of the plan', async () => {
      const owner = 'rotates@example.com'
      const browser = await signedIn(owner)
      const { id } = await create(owner, Date.now() - HOUR_MS)
      const rotate = async () => {
        await browser.get(`/keys/${id}`)
        return await browser.send(`/keys/${id}/rotate`, { overlap: '0' })
      }
      const others = [await create(owner), await create(owner)]
      const full = await rotate()
      expect([full.status, full.body]).toEqual([
        409,
        expect.stringContaining('already has the maximum of 2 active keys'),
      ])
      await service.app.accounts.deactivateKey(others[0]!.id)
      const rotated = await rotate()
      expect((await request(newKeyIn(rotated)!)).status).toBe(200)
      const again = await rotate()
      expect([again.status, again.body]).toEqual([409, expect.stringContaining('already been rotated')])
    })

    test('10,000 requests are counted, and few of them logged', async () => {
      const COUNT = 10_000
      // All requests are in the same minute and hour, because this stops the clock.
      setSystemTime(new Date())
      try {
        const owner = 'flooded@example.com'
        const browser = await signedIn(owner)
        const { id, key } = await createDeactivated(owner)
        const statuses = new Set<number>()
        for (let n = 0; n < COUNT; n += 100) {
          const client = `198.51.101.${Math.floor(n / FAILURES_PER_MINUTE)}`
          const batch = await Promise.all(Array.from({ length: 100 }, () => request(key, client)))
          for (const { status } of batch) statuses.add(status)
        }
        expect(statuses).toEqual(new Set([401]))
        expect((await request(key, '198.51.101.0')).status).toBe(429)
        await until(browser, `/keys/${id}`, '10,000 requests')
        const log = await browser.get('/usage/requests')
        expect(log.document.querySelectorAll('.requests > li')).toHaveLength(LOGGED_PER_HOUR)
      } finally {
        setSystemTime()
      }
    })
  })
}
