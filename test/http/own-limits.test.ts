import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'

import { withinMinute } from '../clock-minute.ts'
import { JO, OPERATOR } from '../identity/people.ts'
import { openDnsServer } from '../origin/dns-server.ts'
import { PATIENT_TEST_MS } from '../patience.ts'
import { startPostgres } from '../postgres.ts'
import { startRedis } from '../redis.ts'
import { describePostgres, describeRedis } from '../requirements.ts'
import { startApp, type TestApp } from './app.ts'
import { createBrowser } from './browser.ts'
import { startSignInApp } from './sign-in-app.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const ORIGIN = 'https://site.example'

/** @param openStore starts servers that are disposed with the stack, and returns the variables that use them */
function describeLimits(openStore: (stack: AsyncDisposableStack) => Promise<Record<string, string>>) {
  const stack = new AsyncDisposableStack()
  let app: TestApp
  beforeAll(async () => {
    // Knows no name.
    const dns = stack.use(await openDnsServer({}))
    app = stack.use(await startApp({ env: { URLMETA_DNS_SERVERS: dns.address, ...(await openStore(stack)) } }))
  }, PATIENT_TEST_MS)
  afterAll(() => stack.disposeAsync())

  /** The status of a request with the limits in its headers, or with the error. */
  async function request(key: string, url = `${app.origin}/`, headers: Record<string, string> = {}) {
    const query = new URLSearchParams({ url })
    const response = await fetch(`${app.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key, ...headers } })
    const limit = (name: string) => response.headers.get(name) ?? '-'
    const { error } = (await response.json()) as { error?: string }
    const text = error?.replace(/ Retry in .*/, '')
    return text ?? `${limit('x-ratelimit-limit')} ${limit('x-monthly-limit')} ${limit('ratelimit-policy')}`
  }

  test('apply from the next request, are in headers and errors, and are removed', async () => {
    await withinMinute(20)
    const email = 'minute@example.com'
    const key = await app.createKey(email)
    expect(await request(key)).toBe('10 1000 "minute";q=10;w=60, "month";q=1000')
    await app.accounts.setLimits(email, { perMinute: 3, perMonth: 4 })
    expect(await request(key)).toBe('3 4 "minute";q=3;w=60, "month";q=4')
    expect(await request(key)).toBe('3 4 "minute";q=3;w=60, "month";q=4')
    expect(await request(key)).toBe('Rate limit exceeded: 3 requests per minute allowed for this account.')
    await app.accounts.setLimits(email, { perMinute: null })
    expect(await request(key)).toBe('10 4 "minute";q=10;w=60, "month";q=4')
    expect(await request(key)).toBe(
      'Monthly limit reached: 4/4 requests used. Ask the operator for a higher limit to continue.',
    )
    await app.accounts.setPlan(email, 'starter')
    expect(await request(key)).toStartWith('Monthly limit reached: 4/4')
    await app.accounts.setLimits(email, { perMonth: null })
    expect(await request(key)).toBe('60 10000 "minute";q=60;w=60, "month";q=10000')
  })

  test('of keys bound new keys, and the minute that all keys share', async () => {
    await withinMinute(20)
    const email = 'keys@example.com'
    const first = await app.createKey(email)
    await app.accounts.setLimits(email, { perMinute: 1, maxKeys: 1 })
    await expect(app.createKey(email)).rejects.toMatchObject({
      kind: 'key_limit',
      message: `${email} already has the maximum of 1 active keys for this account: deactivate one or change the limit`,
    })
    await app.accounts.setLimits(email, { maxKeys: 3 })
    const keys = [first, await app.createKey(email), await app.createKey(email)]
    await app.accounts.setLimits(email, { maxKeys: 2 })
    const errors = []
    for (const key of keys) errors.push((await request(key)).startsWith('Rate limit exceeded: 1 requests'))
    expect(errors).toEqual([false, false, true])
  })

  test('bound each visitor of a page to half of the minute', async () => {
    await withinMinute(20)
    const email = 'page@example.com'
    const key = await app.createKey(email, { allowedOrigins: [ORIGIN] })
    await app.accounts.setLimits(email, { perMinute: 4 })
    const visit = () => request(key, 'http://unknown.example/', { origin: ORIGIN })
    for (let i = 0; i < 2; i++) expect(await visit()).toBe('Failed to fetch URL: host not found')
    expect(await visit()).toBe('Rate limit exceeded: 2 requests per minute allowed per client address.')
  })
}

describe.each(['0', '2'])("a user's own limits in SQLite, with URLMETA_WORKERS=%s", (workers) =>
  describeLimits(async () => ({ URLMETA_WORKERS: workers })),
)

describePostgres("a user's own limits in PostgreSQL", (binDir) =>
  describeLimits(async (stack) => ({
    URLMETA_DATABASE_URL: await stack.use(await startPostgres(binDir)).createDatabase(),
  })),
)

describeRedis("a user's own limits with Redis", (executable) =>
  describeLimits(async (stack) => ({
    URLMETA_REDIS_URL: stack.use(await startRedis(executable)).url,
  })),
)

describe('in the dashboard', () => {
  const words = (text = '') => text.replace(/\s+/g, ' ').trim()

  test('operators set, change and remove own limits, which the user sees', async () => {
    await using service = await startSignInApp()
    const jo = await service.signedIn(JO)
    const operator = await service.signedIn(OPERATOR)
    const found = await operator.get(`/admin?q=${JO.email}`)
    const path = found.document.querySelector('a[href^="/admin/users/"]')!.getAttribute('href')!
    const save = async (fields: Partial<Record<'per_minute' | 'per_month' | 'keys', string>>) => {
      const names = Object.entries(fields).map(([name, value]) => [`limit_${name}`, value])
      await operator.get(path)
      return operator.send(`${path}/limits`, Object.fromEntries(names))
    }

    const refused = await save({ per_minute: '5.000', per_month: '0', keys: '10001' })
    expect(refused.status).toBe(400)
    const errors = ['per_minute', 'per_month', 'keys'].map((name) => {
      const field = refused.document.querySelector(`#limit_${name}`)!
      const error = refused.document.querySelector(`#limit_${name}-error`)
      return [field.getAttribute('value'), error?.text]
    })
    expect(errors).toEqual([
      ['5.000', 'Expected a whole number from 1 to 1000000, or plan'],
      ['0', undefined],
      ['10001', 'Expected a whole number from 0 to 10000, or plan'],
    ])

    const saved = await save({ per_minute: '5000', keys: '3' })
    expect(saved.document.querySelector('.notice')?.text.trim()).toBe('Limits changed.')
    expect(saved.document.querySelector('#limit_per_minute')?.getAttribute('value')).toBe('5000')
    expect(words(saved.document.querySelector('#limit_per_minute-hint')?.text)).toBe('Free: 10')
    expect((await save({ per_minute: '5000', keys: '3' })).document.querySelector('.notice')).toBeNull()
    expect((await operator.get('/admin')).body).toContain('Free with own limits')

    expect(words((await jo.get('/')).document.querySelector('main')?.text)).toContain(
      'Your plan: Free with own limits, 5,000 requests per minute and key, 1,000 per month.',
    )
    expect((await jo.get('/keys')).body).toContain('0 of 3 active keys for this account.')
    const current = (await jo.get('/usage')).document.querySelectorAll('tr.current > *').map(({ text }) => words(text))
    expect(current).toEqual(['Your limits', '5,000', '1,000', '3'])
    expect((await jo.get('/account')).body).toContain('Free with own limits')
    expect(JSON.parse((await jo.get('/account/export')).body)).toMatchObject({
      account: { plan: 'free', own_limits: { per_minute: 5000, per_month: null, keys: 3 } },
    })

    await save({})
    expect((await jo.get('/account')).body).not.toContain('own limits')
    const { document } = await operator.get('/admin/audit')
    const entries = document.querySelectorAll('.log li').map(({ text }) => words(text))
    expect(entries.slice(0, 2).map((text) => text.slice(text.indexOf(OPERATOR.email)))).toEqual([
      `${OPERATOR.email} changed the limits of ${JO.email}: Requests/min per key: 5000 → plan, Active keys: 3 → plan`,
      `${OPERATOR.email} changed the limits of ${JO.email}: Requests/min per key: plan → 5000, Active keys: plan → 3`,
    ])
  })

  test.each([
    ['JO', JO, 'Your plan: Free, 10 requests per minute and key, 1,000 per month.', 'Ask the operator of this server'],
    ['an operator', OPERATOR, 'Your plan: Business, 1,000 requests per minute and key,', 'Change your plan or limits'],
  ])('the first steps have the plan of %s', async (_, person, plan, advice) => {
    await using service = await startSignInApp()
    const { document } = await (await service.signedIn(person)).get('/')
    const text = words(document.querySelector('.first')?.text)
    expect([text.includes(plan), text.includes(advice)]).toEqual([true, true])
  })

  test('own limits per minute apply in the playground', async () => {
    await using service = await startSignInApp()
    const jo = await service.signedIn(JO)
    await service.app.accounts.setLimits(JO.email, { perMinute: 1 })
    await withinMinute(10)
    const bodies = [(await service.play(jo, '/')).body, (await service.play(jo, '/')).body]
    const text = 'Rate limit exceeded: 1 requests per minute allowed for this account.'
    expect(bodies.map((body) => body.includes(text))).toEqual([false, true])
  })

  test('the operator of a new installation without a provider starts on Business', async () => {
    await using app = await startApp()
    const { token } = await app.accounts.createSignInLink('operator@urlmeta.internal')
    const browser = createBrowser(app.url)
    await browser.get(`/sign-in/link?token=${token}`)
    const welcome = await browser.send('/sign-in/link', { token })
    expect(words(welcome.document.querySelector('.first')?.text)).toContain('Your plan: Business, 1,000 requests')
  })

  test('an account that exists keeps its plan when its address becomes that of an operator', async () => {
    await using service = await startSignInApp({ env: { URLMETA_ADMIN_EMAILS: '' } })
    await service.app.createKey(OPERATOR.email)
    await service.signedIn(OPERATOR)
    expect(await service.app.accounts.listUsers()).toMatchObject([{ email: OPERATOR.email, plan: 'free' }])
  })
})
