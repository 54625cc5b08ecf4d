import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { ANN, JO, OPERATOR } from '../identity/people.ts'
import { png } from '../origin/images.ts'
import { attributeIn } from '../page-tree.ts'
import type { Browser, Visited } from './browser.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'
import { fieldIn, keyIdsIn, newKeyIn } from './page-parts.ts'

/** An API key on a page. */
const NEW_KEY = /^urlmeta_live_[0-9a-f]{32}$/

const PNG = png(3, 2).slice()
const HTML = { 'content-type': 'text/html; charset=utf-8' }

const PAGE = `<!doctype html><title>&lt;script&gt;x()&lt;/script&gt;</title><meta property="og:title" content="A &quot;page&quot; &lt;img src=x onerror=x()&gt;">
<meta property="og:description" content="</textarea><script>x()</script>"><meta property="og:image" content="/picture.png">
<link rel="canonical" href="javascript:x()"><link rel="icon" href="/icon.png">`

/** The responses of other servers. */
function origin(request: Request): Response {
  const { pathname } = new URL(request.url)
  if (pathname === '/picture.png' || pathname === '/icon.png') return new Response(PNG)
  if (pathname === '/drawing.svg') {
    return new Response('<svg xmlns="http://www.w3.org/2000/svg"><script>x()</script></svg>', {
      headers: { 'content-type': 'image/png' },
    })
  }
  if (pathname === '/page-as.png')
    return new Response('<script>x()</script>', { headers: { 'content-type': 'image/png' } })
  if (pathname === '/huge.png') return new Response(new Blob([PNG, new Uint8Array(6 * 1024 * 1024)]))
  if (pathname === '/away') return new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } })
  // Only its second request fails.
  if (pathname === '/flaky.png') {
    return service.app.requestCounts.get(pathname) === 2 ? new Response(null, { status: 503 }) : new Response(PNG)
  }
  if (pathname === '/gone') return new Response('gone', { status: 410 })
  const picture = /^\/with(\/.*)$/.exec(pathname)?.[1]
  if (picture !== undefined) {
    return new Response(`<title>With</title><meta property="og:image" content="${picture}">`, { headers: HTML })
  }
  return new Response(PAGE, { headers: HTML })
}

let service: SignInApp
beforeAll(async () => void (service = await startSignInApp({ origin, env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000' } })))
afterAll(() => service[Symbol.asyncDispose]())

/** The image URLs of a page, as the browser would request them. */
const picturesIn = ({ document }: Visited) => document.querySelectorAll('img').map((img) => attributeIn(img, 'src'))

/** Another tab of a result. */
const tabOf = (browser: Browser, { url }: Visited, tab: string) => browser.get(`${url.href}?tab=${tab}`)

describe('keys', () => {
  test('a key is shown once, works, is counted, and stops working when deactivated', async () => {
    const browser = await service.signedIn(JO)
    await browser.get('/keys')
    const created = await browser.send('/keys', { name: '<b>blog</b>' })
    const key = newKeyIn(created)!
    expect(key).toMatch(NEW_KEY)
    expect(created.document.querySelector('.created h2')?.text.trim()).toBe('Your new key: <b>blog</b>')
    const list = await browser.get('/keys')
    expect(list.body).not.toContain(key)
    expect(list.body).toContain(key.slice(-4))

    expect((await service.app.metadata(key, '/')).status).toBe(200)
    const [id] = keyIdsIn(list)
    expect((await browser.get(`/usage?key=${id}`)).status).toBe(200)
    await browser.get('/keys')
    const after = await browser.send(`/keys/${id}/deactivate`)
    expect([after.url.pathname, after.status]).toEqual(['/keys', 200])
    expect(after.body).toContain('Key deactivated')
    expect((await service.app.metadata(key, '/')).status).toBe(401)
  })

  test.each([
    ['no name', '  ', 400],
    ['a long name', 'n'.repeat(101), 400],
  ])('%s is rejected with a message, and the field keeps the text', async (_, name, status) => {
    const browser = await service.signedIn(JO)
    await browser.get('/keys')
    const page = await browser.send('/keys', { name })
    expect([page.status, page.body]).toEqual([status, expect.stringContaining('must have 1 to 100 characters')])
  })

  test('submitting a form again creates no second key', async () => {
    await using fresh = await startSignInApp({ origin })
    const browser = await fresh.signedIn(JO)
    const idempotencyKey = fieldIn(await browser.get('/keys'), 'idempotency_key')
    const form = { name: 'blog', idempotency_key: idempotencyKey }
    const created = await browser.send('/keys', form)
    expect(newKeyIn(created)).toMatch(NEW_KEY)
    const again = await browser.send('/keys', form)
    expect([again.status, again.body]).toEqual([409, expect.stringContaining('This form has already created a key')])
    expect(again.body).not.toMatch(/urlmeta_live_[0-9a-f]{32}/)
    expect(again.document.querySelector('[role="alert"]')?.text).toContain('already created a key')
    expect(keyIdsIn(again)).toHaveLength(1)
    const next = { name: 'other', idempotency_key: fieldIn(again, 'idempotency_key') }
    expect((await browser.send('/keys', next)).status).toBe(200)

    // The same idempotency key creates a key for another user, so it reveals nothing about existing keys.
    const ann = await fresh.signedIn(ANN)
    await ann.get('/keys')
    const ofAnn = await ann.send('/keys', form)
    expect(ofAnn.status).toBe(200)
    expect(keyIdsIn(ofAnn)).not.toContain(keyIdsIn(created)[0])
    const taken = await ann.send('/keys', { name: 'blog', idempotency_key: keyIdsIn(created)[0]! })
    expect([taken.status, taken.body]).toEqual([200, expect.not.stringContaining(keyIdsIn(created)[0]!)])
  })

  test('twenty can be created per hour and share one limit per minute; deactivated ones are listed in pages', async () => {
    await using fresh = await startSignInApp({ origin, env: { URLMETA_PLAN_FREE_KEYS: '1' } })
    const browser = await fresh.signedIn(JO)
    await browser.get('/keys')
    const responses: Response[] = []
    for (let n = 1; n <= 20; n++) {
      const created = await browser.send('/keys', { name: `key ${n}` })
      expect(created.status).toBe(200)
      const key = newKeyIn(created)!
      responses.push(await fresh.app.metadata(key, '/nothing'), await fresh.app.metadata(key, '/nothing'))
      await browser.send(`/keys/${keyIdsIn(created)[0]}/deactivate`)
    }
    // Ten per minute, and one new minute may start in between.
    expect(responses.filter(({ status }) => status !== 429).length).toBeLessThanOrEqual(20)
    const limited = responses.find(({ status }) => status === 429)!
    expect(limited.headers.get('retry-after')).toMatch(/^[1-5]?\d$|^60$/)
    expect(limited.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(await limited.json()).toEqual({
      error: expect.stringContaining('Rate limit exceeded: 10 requests per minute allowed on the Free plan. Retry in '),
    })
    const refused = await browser.send('/keys', { name: 'one more' })
    expect([refused.status, refused.body]).toEqual([
      429,
      expect.stringContaining('You can create at most 20 keys per hour'),
    ])
    expect(fieldIn(refused, 'name')).toBe('one more')

    const database = new Database(join(fresh.app.dataDir, 'urlmeta.db'))
    const { user_id } = database.query('SELECT user_id FROM api_keys').get() as { user_id: string }
    const insert =
      database.query(`INSERT INTO api_keys (id, user_id, name, hash, last_four, created_at, deactivated_at, allowed_hosts, allowed_addresses)
       VALUES (?, ?, ?, ?, '0000', ?, 1, '[]', '[]')`)
    for (let n = 0; n < 100; n++) insert.run(`old${n}`, user_id, `old ${n}`, `hash ${n}`, n)
    database.close()
    const first = await browser.get('/keys')
    expect(first.body).toContain('Page 1 of 3')
    expect(first.document.querySelectorAll('tr.off')).toHaveLength(50)
    const last = await browser.get('/keys?page=3')
    expect(last.body).toContain('old 0')
    expect(last.document.querySelectorAll('tr.off')).toHaveLength(20)
    expect((await browser.get('/keys?page=4')).body).toContain('Page 4 is empty.')
    expect((await browser.get('/usage?key=old0')).status).toBe(200)
    const operator = await fresh.signedIn(OPERATOR)
    expect((await operator.get(`/admin/users/${user_id}?page=3`)).document.querySelectorAll('tr.off')).toHaveLength(20)
  })

  test('the limit of the plan is explained', async () => {
    const browser = await service.signedIn(ANN)
    await browser.get('/keys')
    for (const name of ['one', 'two']) expect((await browser.send('/keys', { name })).status).toBe(200)
    const page = await browser.send('/keys', { name: 'three' })
    expect(page.status).toBe(409)
    // Not the error page.
    expect(page.body).toContain('href="/keys/')
    expect(page.body).not.toMatch(/urlmeta_live_[0-9a-f]{32}/)
  })
})

describe('the playground', () => {
  test("returns what the API returns with the sources, and charges the user's month", async () => {
    const browser = await service.signedIn(JO)
    const before = await usedBy(browser)
    const page = await service.play(browser, '/told')
    expect(page.status).toBe(200)
    expect((await tabOf(browser, page, 'sources')).body).toContain('og:title')
    expect((await tabOf(browser, page, 'timing')).body).toContain('The page is complete without scripts.')
    expect(await usedBy(browser)).toBe(before + 1)
    const cached = await service.play(browser, '/told')
    expect(cached.status).toBe(200)
    expect(service.app.requestCounts.get('/told')).toBe(1)
    await service.play(browser, '/told', { fresh: 'true' })
    expect(service.app.requestCounts.get('/told')).toBe(2)
    expect(await usedBy(browser)).toBe(before + 3)
  })

  test('a failure is shown and not charged', async () => {
    const browser = await service.signedIn(JO)
    const before = await usedBy(browser)
    const page = await service.play(browser, '/gone')
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('Failed to fetch URL: HTTP 410')])
    expect(page.body).toContain('The page does not exist.')
    expect(await usedBy(browser)).toBe(before)
  })

  test('opening the form, prefilled or not, sends no request', async () => {
    const browser = await service.signedIn(JO)
    const url = `${service.app.origin}/never`
    const page = await browser.get(`/playground?url=${encodeURIComponent(url)}`)
    expect(page.body).toContain(url)
    expect(service.app.requestCounts.has('/never')).toBe(false)
  })

  test.each([
    ['no URL', { url: '' }, 'the URL is missing'],
    ['a URL with another scheme', { url: 'ftp://example.com' }, 'must start with http:// or https://'],
    ['a private address', { url: 'http://169.254.169.254/' }, 'the address is private or reserved'],
    ['a timeout of zero', { timeout: '0' }, 'A whole number from 1 to 15000'],
    ['a timeout that is not a number', { timeout: 'soon' }, 'A whole number from 1 to 15000'],
  ])('%s is rejected with a message at its field', async (_, fields, text) => {
    const page = await service.play(await service.signedIn(JO), '/', fields)
    expect([page.status, page.body]).toEqual([400, expect.stringContaining(text)])
  })

  test('metadata is escaped, and javascript: URLs are not linked', async () => {
    const { body, headers } = await service.play(await service.signedIn(JO), '/scripted')
    expect(body).not.toContain('<script>x()')
    expect(body).not.toContain('<img src=x')
    expect(body).not.toContain('href="javascript:')
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
  })

  test('reaching the monthly limit is shown', async () => {
    await using poor = await startSignInApp({ origin, env: { URLMETA_PLAN_FREE_PER_MONTH: '1' } })
    const browser = await poor.signedIn(JO)
    for (const text of [
      'A &#34;page&#34;',
      'Monthly limit reached: 1/1 requests used',
      'count against your monthly limit',
    ]) {
      await browser.get('/playground')
      const page = await browser.send('/playground', { url: poor.app.origin, timeout: '5000', fresh: 'true' })
      expect(page.body.replaceAll('&quot;', '&#34;')).toContain(text)
    }
  })

  test('reaching the limit per minute is shown, and keys have separate limits', async () => {
    await using brisk = await startSignInApp({ origin, env: { URLMETA_PLAN_FREE_PER_MINUTE: '1' } })
    const browser = await brisk.signedIn(JO)
    const bodies: string[] = []
    // One new minute may start in between.
    for (let i = 0; i < 3; i++) {
      await browser.get('/playground')
      bodies.push((await browser.send('/playground', { url: brisk.app.origin, timeout: '5000' })).body)
    }
    expect(bodies.join('')).toContain('Rate limit exceeded: 1 requests per minute allowed on the Free plan')
    const key = await brisk.app.createKey(JO.email)
    expect((await brisk.app.metadata(key, '/')).status).toBe(200)
  })

  test('private addresses are shown to operators only', async () => {
    const addresses = ({ document }: Visited) => document.querySelectorAll('.addresses code').map(({ text }) => text)
    for (const [person, fresh, expected] of [
      [JO, 'true', []],
      // A cached result has the details of the first fetch, also for other users.
      [OPERATOR, '', ['127.0.0.1']],
      [OPERATOR, 'true', ['127.0.0.1']],
      [JO, '', []],
    ] as const) {
      const browser = await service.signedIn(person)
      const page = await service.play(browser, '/own', { fresh })
      expect(addresses(await tabOf(browser, page, 'timing'))).toEqual([...expected])
    }
  })

  async function usedBy(browser: Browser): Promise<number> {
    const { usage } = JSON.parse((await browser.get('/account/export')).body) as {
      usage: { months: { used: number }[] }
    }
    return usage.months[0]?.used ?? 0
  }
})

describe('images', () => {
  test('are served by the service, with headers that allow only images', async () => {
    const browser = await service.signedIn(JO)
    const paths = picturesIn(await service.play(browser, '/pictured'))
    expect(paths.length).toBeGreaterThan(0)
    const picture = await browser.request(service.base + paths[0])
    expect(picture.status).toBe(200)
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=300',
    })
    expect(new Uint8Array(await picture.arrayBuffer())).toEqual(PNG)
  })

  test.each([
    ['/drawing.svg', 'og:image: not an image, although declared as image/png'],
    ['/page-as.png', 'og:image: not an image: text/html'],
    ['/huge.png', 'og:image: 6 MB, over 5 MB'],
    ['/away', 'og:image: address not allowed'],
    ['/gone', 'og:image: HTTP 410'],
  ])('%s is not shown, and the cards say why', async (path, problem) => {
    const browser = await service.signedIn(JO)
    const page = await service.play(browser, `/with${path}`)
    expect(picturesIn(page)).toEqual([])
    const problems = page.document.querySelectorAll('.problem').map(({ text }) => text.trim())
    // The others are why some apps show no card of a page with only a title.
    expect(new Set(problems.filter((text) => !/^(?:needs|only https)\b/.test(text)))).toEqual(new Set([problem]))
  })

  test('that cannot be loaded are requested again', async () => {
    const browser = await service.signedIn(JO)
    const [path] = picturesIn(await service.play(browser, '/with/flaky.png'))
    const failed = await browser.request(service.base + path)
    expect([failed.status, failed.headers.get('cache-control')]).toEqual([404, 'private, no-store'])
    expect((await browser.request(service.base + path)).status).toBe(200)
  })

  test('only signed links work, and only for their user', async () => {
    const browser = await service.signedIn(JO)
    const link = new URL(picturesIn(await service.play(browser, '/pictured', { fresh: 'true' }))[0]!, service.base)
    const status = async (by: Browser, change: (link: URL) => void = () => {}) => {
      const changed = new URL(link)
      change(changed)
      return (await by.request(changed.href)).status
    }
    expect(await status(browser)).toBe(200)
    expect(
      await status(browser, ({ searchParams }) => searchParams.set('url', `${service.app.origin}/icon.png?x`)),
    ).toBe(404)
    expect(await status(browser, ({ searchParams }) => searchParams.set('expires', '9999999999999'))).toBe(404)
    expect(await status(browser, ({ searchParams }) => searchParams.delete('signature'))).toBe(404)
    expect(await status(await service.signedIn(ANN))).toBe(404)
    expect(await status(service.browser())).toBe(303)
  })
})

describe('operators', () => {
  /** The operator's page of a user. */
  async function pageOf(operator: Browser, email: string): Promise<string> {
    const { document } = await operator.get(`/admin?q=${email}`)
    return attributeIn(document.querySelector('a[href^="/admin/users/"]'), 'href')
  }

  test('change a plan, deactivate a key, suspend and resume, and all of it is in the audit log', async () => {
    const operator = await service.signedIn(OPERATOR)
    const member = await service.signedIn(JO, 'google')
    await member.get('/keys')
    const key = newKeyIn(await member.send('/keys', { name: 'ci' }))!
    const path = await pageOf(operator, JO.email)

    await operator.get(path)
    expect((await operator.send(`${path}/plan`, { plan: 'growth' })).body).toContain('Plan changed')
    expect((await service.app.metadata(key, '/')).headers.get('x-ratelimit-limit')).toBe('300')
    expect((await operator.send(`${path}/plan`, { plan: 'gold' })).status).toBe(400)

    await operator.get(path)
    expect((await operator.send(`${path}/suspend`)).body).toContain('User suspended')
    expect((await service.app.metadata(key, '/')).status).toBe(401)
    expect((await member.get('/keys')).url.pathname).toBe('/sign-in')
    await expect(service.signedIn(JO)).resolves.toMatchObject({ page: { status: 403 } })

    await operator.get(path)
    expect((await operator.send(`${path}/resume`)).body).toContain('Suspension lifted')
    expect((await service.app.metadata(key, '/')).status).toBe(200)

    const [keyId] = keyIdsIn(await operator.get(path))
    await operator.send(`${path}/keys/${keyId}/deactivate`)

    const { document } = await operator.get('/admin/audit')
    const entries = document.querySelectorAll('.log li').map(({ text }) => text.replace(/\s+/g, ' ').trim())
    expect(entries.slice(0, 4).map((text) => text.slice(text.indexOf(OPERATOR.email)))).toEqual([
      `${OPERATOR.email} deactivated a key of ${JO.email}: ci (urlmeta_live_…${key.slice(-4)})`,
      `${OPERATOR.email} lifted the suspension of ${JO.email}`,
      `${OPERATOR.email} suspended ${JO.email}`,
      `${OPERATOR.email} changed the plan of ${JO.email}: Free → Growth`,
    ])
  })

  test('actions that change nothing show no notice and are not in the audit log', async () => {
    await using fresh = await startSignInApp({ origin })
    const operator = await fresh.signedIn(OPERATOR)
    const member = await fresh.signedIn(ANN)
    await member.get('/keys')
    await member.send('/keys', { name: 'ci' })
    const path = await pageOf(operator, ANN.email)
    const [keyId] = keyIdsIn(await operator.get(path))
    const ACTIONS: [string, Record<string, string>, string][] = [
      ['resume', {}, 'Suspension lifted'],
      ['plan', { plan: 'free' }, 'Plan changed'],
    ]
    const TWICE: [string, Record<string, string>, string][] = [
      ['suspend', {}, 'User suspended'],
      [`keys/${keyId}/deactivate`, {}, 'Key deactivated'],
    ]
    for (const [action, fields, text] of ACTIONS) {
      await operator.get(path)
      const page = await operator.send(`${path}/${action}`, fields)
      expect([page.status, page.body]).toEqual([200, expect.not.stringContaining(text)])
    }
    for (const [action, fields, text] of TWICE) {
      await operator.get(path)
      expect((await operator.send(`${path}/${action}`, fields)).body).toContain(text)
      expect(await operator.send(`${path}/${action}`, fields)).toMatchObject({
        status: 200,
        body: expect.not.stringContaining(text),
      })
    }
    const names = (await operator.get('/admin/audit')).document.querySelectorAll('.log b').map(({ text }) => text)
    expect(names.filter((name) => name === OPERATOR.email)).toHaveLength(2)
  })

  test.each(['/admin', '/admin/audit'])('a page after the last one of %s links back', async (path) => {
    const operator = await service.signedIn(OPERATOR)
    const { status, body, document } = await operator.get(`${path}?page=99`)
    expect(status).toBe(200)
    expect(body).toContain('Page 99 is empty')
    expect(document.querySelectorAll(`main a[href="${path}?page=1"]`)).toHaveLength(1)
    expect(body).not.toContain('Nobody has signed in yet')
    expect(body).not.toContain('Nothing so far')
  })

  test('cannot suspend themselves', async () => {
    const operator = await service.signedIn(OPERATOR)
    const path = await pageOf(operator, OPERATOR.email)
    await operator.get(path)
    const { status, body } = await operator.send(`${path}/suspend`)
    expect([status, body]).toEqual([403, expect.stringContaining('You cannot suspend yourself')])
    expect((await operator.get('/admin')).status).toBe(200)
  })

  test.each(['/admin/users/unknown', '/admin/users/%00', '/admin/users/..%2f'])('%s is not found', async (path) => {
    expect((await (await service.signedIn(OPERATOR)).get(path)).status).toBe(404)
  })

  test('see responses and failures of the playground, by reason and host, since the start', async () => {
    await using fresh = await startSignInApp({ origin })
    const operator = await fresh.signedIn(OPERATOR)
    for (const path of ['/gone', '/page', '/page', '/page']) await fresh.play(operator, path)
    const { status, body, document } = await operator.get('/admin/health')
    const numbers = document.querySelectorAll('section[aria-labelledby=day] dd').slice(0, 3)
    expect([status, ...numbers.map(({ text }) => text)]).toEqual([200, '3', '25%', '67%'])
    expect(document.querySelector('#day')?.text).toMatch(/^Requests since start, \d\d:\d\d UTC$/)
    expect(body).toContain(new URL(fresh.app.origin).host)
  })

  test('see which database is in use', async () => {
    const { document } = await (await service.signedIn(OPERATOR)).get('/admin/health')
    const panel = document.querySelector('section[aria-labelledby=server]')?.textContent
    expect(panel).toContain('SQLite')
    expect(panel).toContain(join(service.app.dataDir, 'urlmeta.db'))
  })

  test('see the state of the backups', async () => {
    const none = await (await service.signedIn(OPERATOR)).get('/admin/health')
    expect(none.body).toContain('URLMETA_BACKUP_DIR')
    const directory = join(mkdtempSync(join(tmpdir(), 'urlmeta-backups-')), 'backups')
    await using backedUp = await startSignInApp({ origin, env: { URLMETA_BACKUP_DIR: directory } })
    const operator = await backedUp.signedIn(OPERATOR)
    await backedUp.app.logged({ msg: 'backup written' })
    const { document } = await operator.get('/admin/health')
    const panel = document.querySelector('section[aria-labelledby=backups]')?.textContent
    expect(panel).toMatch(/Last backup\s*just now, [\d.]+ KB/)
    expect(panel).toContain('Next backup')
    rmSync(dirname(directory), { recursive: true })
  })

  test.each(['-1', '0', 'x', '99999999999999999999', '2'])('page number %s is accepted', async (page) => {
    const operator = await service.signedIn(OPERATOR)
    for (const path of ['/admin', '/admin/audit']) expect((await operator.get(`${path}?page=${page}`)).status).toBe(200)
  })
})

describe('an account', () => {
  test('is deleted after its address was typed, with its keys; the next sign-in creates a new one', async () => {
    await using fresh = await startSignInApp({ origin })
    const browser = await fresh.signedIn(JO)
    await browser.get('/keys')
    const key = newKeyIn(await browser.send('/keys', { name: 'blog' }))!
    expect((await fresh.app.metadata(key, '/')).status).toBe(200)

    await browser.get('/account')
    const refused = await browser.send('/account/delete', { confirm: 'somebody@example.com' })
    expect([refused.status, refused.body]).toEqual([400, expect.stringContaining(`Type ${JO.email}`)])
    const gone = await browser.send('/account/delete', { confirm: ' JO@example.com' })
    expect(gone.body).toContain('Account deleted')
    expect((await fresh.app.metadata(key, '/')).status).toBe(401)
    expect((await browser.get('/keys')).url.pathname).toBe('/sign-in')

    const again = await fresh.signedIn(JO)
    expect((await again.get('/keys')).body).not.toContain(key.slice(-4))
    const exported = JSON.parse((await again.get('/account/export')).body) as { usage: { months: object[] } }
    // The usage of the month is kept.
    expect(exported.usage.months).toMatchObject([{ used: 1 }])
  })

  test('keeps its usage of the month for the next one with its address, without a sign-in', async () => {
    await using fresh = await startSignInApp({ origin })
    const browser = await fresh.signedIn(JO)
    expect((await fresh.app.metadata(await fresh.app.createKey(JO.email), '/')).status).toBe(200)
    await browser.get('/account')
    await browser.send('/account/delete', { confirm: JO.email })
    const { headers } = await fresh.app.metadata(await fresh.app.createKey(JO.email), '/')
    expect(headers.get('x-monthly-used')).toBe('2')
  })

  test('keeps its usage of the month if deleting the usage fails', async () => {
    await using fresh = await startSignInApp({ origin })
    const browser = await fresh.signedIn(JO)
    expect((await fresh.app.metadata(await fresh.app.createKey(JO.email), '/')).status).toBe(200)
    const database = new Database(join(fresh.app.dataDir, 'urlmeta.db'))
    database.run("CREATE TRIGGER fail BEFORE DELETE ON monthly_usage BEGIN SELECT RAISE(ABORT, 'fault'); END")
    database.close()
    await browser.get('/account')
    expect((await browser.send('/account/delete', { confirm: JO.email })).status).toBe(500)
    const { headers } = await fresh.app.metadata(await fresh.app.createKey(JO.email), '/')
    expect(headers.get('x-monthly-used')).toBe('2')
  })

  test('keeps its count of the minute when it is deleted and created again', async () => {
    await using fresh = await startSignInApp({ origin, env: { URLMETA_PLAN_FREE_KEYS: '1' } })
    const statuses: number[] = []
    for (let round = 0; round < 4; round++) {
      const browser = await fresh.signedIn(JO)
      await browser.get('/keys')
      const key = newKeyIn(await browser.send('/keys', { name: 'blog' }))!
      for (let i = 0; i < 8; i++) statuses.push((await fresh.app.metadata(key, '/gone')).status)
      await browser.get('/account')
      await browser.send('/account/delete', { confirm: JO.email })
    }
    // Ten in a minute, and a new minute may start in between.
    expect(statuses.filter((status) => status === 502).length).toBeLessThanOrEqual(20)
    expect(statuses).toContain(429)
  })

  test('is exported in full', async () => {
    const browser = await service.signedIn(JO)
    const page = await browser.get('/account/export')
    expect(page.headers.get('content-disposition')).toBe('attachment; filename="urlmeta-account.json"')
    expect(page.body).not.toContain('hash')
    expect(JSON.parse(page.body)).toMatchObject({
      account: { email: JO.email, name: JO.name },
      identities: expect.arrayContaining([
        expect.objectContaining({ issuer: `${service.github.url}/login/oauth`, account: 'jo' }),
      ]),
      sessions: expect.arrayContaining([expect.objectContaining({ user_agent: 'Mozilla/5.0 Firefox/140.0' })]),
    })
  })
})

describe('errors', () => {
  test.each([
    ['an unknown path', '/nothing', 404],
    ['an unsupported method', '/keys/x/deactivate', 405],
    ['in the API', '/v1/nothing', 404],
  ])('%s', async (_, path, status) => {
    const isApi = path.startsWith('/v1/')
    const { status: answered, headers } = await service.browser().get(path)
    expect(answered).toBe(status)
    expect(headers.get('content-type')).toBe(isApi ? 'application/json' : 'text/html; charset=utf-8')
  })

  test.each(['/%22%3E%3Cscript%3Ex()%3C/script%3E', "/'onload='x()", '/<script>x()</script>'])(
    'the path %s is escaped',
    async (path) => {
      const { status, body } = await service.browser().get(path)
      expect(status).toBe(404)
      expect(body).not.toContain('<script>x()')
      expect(body).not.toMatch(/'onload='/)
    },
  )

  test('without its database the service shows an error page without details', async () => {
    await using broken = await startSignInApp()
    const browser = await broken.signedIn(JO)
    const database = new Database(join(broken.app.dataDir, 'urlmeta.db'))
    database.run('DROP TABLE sessions')
    database.close()
    const { status, body, headers } = await browser.get('/keys')
    expect(status).toBe(500)
    expect(body).toContain(headers.get('x-request-id')!)
    expect(body).not.toContain('sessions')
    expect(broken.app.log).toContainEqual(
      expect.objectContaining({ level: 'error', id: headers.get('x-request-id')!, msg: 'internal error' }),
    )
    // The same fault is logged once in a minute, because it concerns every request.
    const logged = () => broken.app.log.filter(({ msg }) => msg === 'internal error')
    const before = logged().length
    for (let n = 0; n < 5; n++) expect((await browser.get('/keys')).status).toBe(500)
    expect(logged()).toHaveLength(before)
    const lines = broken.app.log.filter((line) => line.msg === 'request' && line.status === 500)
    expect(lines.map(({ detail }) => detail)).toEqual(
      lines.map(() => 'the database is damaged (no such table: sessions)'),
    )
  })

  test('non-browser clients get JSON', async () => {
    const answer = await fetch(`${service.base}/nothing`, { headers: { accept: 'application/json' } })
    expect([answer.status, await answer.json()]).toEqual([404, { error: 'Not found' }])
  })
})

test('the documentation is public', async () => {
  const { status, body } = await service.browser().get('/docs')
  expect([status, body]).toEqual([200, expect.stringContaining('/v1/metadata')])
})
