import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { ANN, JO, OPERATOR } from '../identity/people.ts'
import type { Browser, Visited } from './browser.ts'
import { type MemberApp, startMemberApp } from './members.ts'

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0])
const HTML = { 'content-type': 'text/html; charset=utf-8' }

const PAGE = `<!doctype html><title>&lt;script&gt;x()&lt;/script&gt;</title><meta property="og:title" content="A &quot;page&quot; &lt;img src=x onerror=x()&gt;">
<meta property="og:description" content="</textarea><script>x()</script>"><meta property="og:image" content="/picture.png">
<link rel="canonical" href="javascript:x()"><link rel="icon" href="/icon.png">`

/** What foreign servers answer. */
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
  if (pathname === '/gone') return new Response('gone', { status: 410 })
  const picture = /^\/with(\/.*)$/.exec(pathname)?.[1]
  if (picture !== undefined) {
    return new Response(`<title>With</title><meta property="og:image" content="${picture}">`, { headers: HTML })
  }
  return new Response(PAGE, { headers: HTML })
}

let service: MemberApp
beforeAll(async () => void (service = await startMemberApp({ origin, env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000' } })))
afterAll(() => service[Symbol.asyncDispose]())

/** A page's pictures as the browser would ask for them. */
const picturesIn = ({ body }: Visited) =>
  [...body.matchAll(/src="(\/playground\/image\?[^"]*)"/g)].map(([, path]) => path!.replaceAll('&amp;', '&'))

async function play(browser: Browser, path: string, fields: Record<string, string> = {}): Promise<Visited> {
  await browser.get('/playground')
  return browser.send('/playground', { url: service.app.origin + path, timeout: '5000', ...fields })
}

describe('keys', () => {
  test('a key is shown once, works, is counted, and stops at its deactivation', async () => {
    const browser = await service.signedIn(JO)
    await browser.get('/keys')
    const made = await browser.send('/keys', { name: '<b>blog</b>' })
    const key = /urlmeta_live_[0-9a-f]{32}/.exec(made.body)![0]
    expect(made.body).not.toContain('<b>blog')
    const list = await browser.get('/keys')
    expect(list.body).not.toContain(key)
    expect(list.body).toContain(key.slice(-4))

    expect((await service.app.metadata(key, '/')).status).toBe(200)
    const id = /\/keys\/([^/"]+)\/deactivate/.exec(list.body)![1]!
    expect((await browser.get(`/usage?key=${id}`)).status).toBe(200)
    await browser.get('/keys')
    const after = await browser.send(`/keys/${id}/deactivate`)
    expect([after.url.pathname, after.status]).toEqual(['/keys', 200])
    expect(after.body).toContain('The key is deactivated')
    expect((await service.app.metadata(key, '/')).status).toBe(401)
  })

  test.each([
    ['no name', '  ', 400],
    ['a long name', 'n'.repeat(101), 400],
  ])('%s is refused beside its field, and kept there', async (_, name, status) => {
    const browser = await service.signedIn(JO)
    await browser.get('/keys')
    const page = await browser.send('/keys', { name })
    expect([page.status, page.body]).toEqual([status, expect.stringContaining('has 1 to 100 characters')])
  })

  test('sent again, as by reloading, a form makes no second key', async () => {
    await using fresh = await startMemberApp({ origin })
    const browser = await fresh.signedIn(JO)
    const { body } = await browser.get('/keys')
    const once = /name="once" value="([^"]*)"/.exec(body)![1]!
    const made = await browser.send('/keys', { name: 'blog', once })
    expect(made.body).toMatch(/urlmeta_live_[0-9a-f]{32}/)
    const again = await browser.send('/keys', { name: 'blog', once })
    expect([again.status, again.body]).toEqual([409, expect.stringContaining('This form has made its key already')])
    expect(again.body).not.toMatch(/urlmeta_live_[0-9a-f]{32}/)
    expect(again.body.match(/\/deactivate"/g)).toHaveLength(1)
    const next = /name="once" value="([^"]*)"/.exec(again.body)![1]!
    expect((await browser.send('/keys', { name: 'other', once: next })).status).toBe(200)
  })

  test('the cap of the plan is explained', async () => {
    const browser = await service.signedIn(ANN)
    await browser.get('/keys')
    for (const name of ['one', 'two']) expect((await browser.send('/keys', { name })).status).toBe(200)
    const page = await browser.send('/keys', { name: 'three' })
    expect(page.status).toBe(409)
    expect(page.body).not.toMatch(/urlmeta_live_[0-9a-f]{32}/)
  })
})

describe('the playground', () => {
  test('answers what the API answers, says why, and spends the own month', async () => {
    const browser = await service.signedIn(JO)
    const before = await usedBy(browser)
    const page = await play(browser, '/told')
    expect(page.status).toBe(200)
    expect(page.body).toContain('og:title')
    expect(page.body).toContain('The plain page says enough without scripts.')
    expect(await usedBy(browser)).toBe(before + 1)
    const cached = await play(browser, '/told')
    expect(cached.status).toBe(200)
    expect(service.app.asked.get('/told')).toBe(1)
    await play(browser, '/told', { fresh: 'true' })
    expect(service.app.asked.get('/told')).toBe(2)
    expect(await usedBy(browser)).toBe(before + 3)
  })

  test('a failure is told and not charged', async () => {
    const browser = await service.signedIn(JO)
    const before = await usedBy(browser)
    const page = await play(browser, '/gone')
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('Failed to fetch URL: HTTP 410')])
    expect(await usedBy(browser)).toBe(before)
  })

  test('looking at the form, prefilled or not, asks nobody', async () => {
    const browser = await service.signedIn(JO)
    const url = `${service.app.origin}/never`
    const page = await browser.get(`/playground?url=${encodeURIComponent(url)}`)
    expect(page.body).toContain(url)
    expect(service.app.asked.has('/never')).toBe(false)
  })

  test.each([
    ['no URL', { url: '' }, 'the URL is missing'],
    ['a URL without scheme', { url: 'example.com' }, 'must start with http:// or https://'],
    ['a private address', { url: 'http://169.254.169.254/' }, 'the address is private or reserved'],
    ['a timeout of zero', { timeout: '0' }, 'A whole number from 1 to 15000'],
    ['a timeout in words', { timeout: 'soon' }, 'A whole number from 1 to 15000'],
  ])('%s is refused beside its field', async (_, fields, words) => {
    const page = await play(await service.signedIn(JO), '/', fields)
    expect([page.status, page.body]).toEqual([400, expect.stringContaining(words)])
  })

  test('what a page says of itself stays text, and scripts of its addresses are no links', async () => {
    const { body, headers } = await play(await service.signedIn(JO), '/scripted')
    expect(body).not.toContain('<script>x()')
    expect(body).not.toContain('<img src=x')
    expect(body).not.toContain('href="javascript:')
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
  })

  test('a used-up month is told', async () => {
    await using poor = await startMemberApp({ origin, env: { URLMETA_PLAN_FREE_PER_MONTH: '1' } })
    const browser = await poor.signedIn(JO)
    for (const words of ['A &#34;page&#34;', 'Monthly limit reached: 1/1 requests used']) {
      await browser.get('/playground')
      const page = await browser.send('/playground', { url: poor.app.origin, timeout: '5000', fresh: 'true' })
      expect(page.body.replaceAll('&quot;', '&#34;')).toContain(words)
    }
  })

  test('a used-up minute is told, and keys have minutes of their own', async () => {
    await using brisk = await startMemberApp({ origin, env: { URLMETA_PLAN_FREE_PER_MINUTE: '1' } })
    const browser = await brisk.signedIn(JO)
    const bodies: string[] = []
    // The minute may turn once in between.
    for (let i = 0; i < 3; i++) {
      await browser.get('/playground')
      bodies.push((await browser.send('/playground', { url: brisk.app.origin, timeout: '5000' })).body)
    }
    expect(bodies.join('')).toContain('Rate limit exceeded: 1 requests per minute allowed on the Free plan')
    const key = await brisk.app.newKey(JO.email)
    expect((await brisk.app.metadata(key, '/')).status).toBe(200)
  })

  test('addresses of the own network are for operators', async () => {
    const addresses = ({ body }: Visited) => /<ul class="addresses">(.*?)<\/ul>/s.exec(body)?.[1] ?? ''
    expect(addresses(await play(await service.signedIn(JO), '/own', { fresh: 'true' }))).toBe('')
    expect(addresses(await play(await service.signedIn(OPERATOR), '/own', { fresh: 'true' }))).toContain('127.0.0.1')
  })

  async function usedBy(browser: Browser): Promise<number> {
    const { usage } = JSON.parse((await browser.get('/account/export')).body) as {
      usage: { months: { used: number }[] }
    }
    return usage.months[0]?.used ?? 0
  }
})

describe('pictures', () => {
  test('are fetched by the service, as images and nothing else', async () => {
    const browser = await service.signedIn(JO)
    const paths = picturesIn(await play(browser, '/pictured'))
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

  test.each(['/drawing.svg', '/page-as.png', '/huge.png', '/away', '/gone'])('%s is not shown', async (path) => {
    const browser = await service.signedIn(JO)
    const [picture] = picturesIn(await play(browser, `/with${path}`))
    expect((await browser.request(service.base + picture)).status).toBe(404)
  })

  test('only what a page here linked to, for the user it was linked for', async () => {
    const browser = await service.signedIn(JO)
    const link = new URL(picturesIn(await play(browser, '/pictured', { fresh: 'true' }))[0]!, service.base)
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
  /** The page of a user, as the operator finds it. */
  async function pageOf(operator: Browser, email: string): Promise<string> {
    const { body } = await operator.get(`/admin?q=${email}`)
    return /"(\/admin\/users\/[^"]+)"/.exec(body)![1]!
  }

  test('change a plan, deactivate a key, suspend and resume, and all of it is written down', async () => {
    const operator = await service.signedIn(OPERATOR)
    const member = await service.signedIn(JO, 'google')
    await member.get('/keys')
    const key = /urlmeta_live_[0-9a-f]{32}/.exec((await member.send('/keys', { name: 'ci' })).body)![0]
    const path = await pageOf(operator, JO.email)

    await operator.get(path)
    expect((await operator.send(`${path}/plan`, { plan: 'growth' })).body).toContain('The plan is changed')
    expect((await service.app.metadata(key, '/')).headers.get('x-ratelimit-limit')).toBe('300')
    expect((await operator.send(`${path}/plan`, { plan: 'gold' })).status).toBe(400)

    await operator.get(path)
    expect((await operator.send(`${path}/suspend`)).body).toContain('The user is suspended')
    expect((await service.app.metadata(key, '/')).status).toBe(401)
    expect((await member.get('/keys')).url.pathname).toBe('/sign-in')
    await expect(service.signedIn(JO)).resolves.toMatchObject({ page: { status: 403 } })

    await operator.get(path)
    expect((await operator.send(`${path}/resume`)).body).toContain('The suspension has ended')
    expect((await service.app.metadata(key, '/')).status).toBe(200)

    const keyId = /\/keys\/([^/"]+)\/deactivate/.exec((await operator.get(path)).body)![1]!
    await operator.send(`${path}/keys/${keyId}/deactivate`)

    const { body } = await operator.get('/admin/audit')
    for (const words of ['Free → Growth', 'suspended', 'ended the suspension', 'deactivated a key', OPERATOR.email]) {
      expect(body).toContain(words)
    }
  })

  test('what changes nothing is neither said to be done nor written down', async () => {
    await using fresh = await startMemberApp({ origin })
    const operator = await fresh.signedIn(OPERATOR)
    const member = await fresh.signedIn(ANN)
    await member.get('/keys')
    await member.send('/keys', { name: 'ci' })
    const path = await pageOf(operator, ANN.email)
    const keyId = /\/keys\/([^/"]+)\/deactivate/.exec((await operator.get(path)).body)![1]!
    const ACTS: [string, Record<string, string>, string][] = [
      ['resume', {}, 'The suspension has ended'],
      ['plan', { plan: 'free' }, 'The plan is changed'],
    ]
    const TWICE: [string, Record<string, string>, string][] = [
      ['suspend', {}, 'The user is suspended'],
      [`keys/${keyId}/deactivate`, {}, 'The key is deactivated'],
    ]
    for (const [act, fields, words] of ACTS) {
      await operator.get(path)
      expect((await operator.send(`${path}/${act}`, fields)).body).not.toContain(words)
    }
    for (const [act, fields, words] of TWICE) {
      await operator.get(path)
      expect((await operator.send(`${path}/${act}`, fields)).body).toContain(words)
      expect(await operator.send(`${path}/${act}`, fields)).toMatchObject({
        status: 200,
        body: expect.not.stringContaining(words),
      })
    }
    expect((await operator.get('/admin/audit')).body.match(/<b>op@example\.com<\/b>/g)).toHaveLength(2)
  })

  test.each(['/admin', '/admin/audit'])('a page after the last one of %s leads back', async (path) => {
    const operator = await service.signedIn(OPERATOR)
    const { status, body } = await operator.get(`${path}?page=99`)
    expect(status).toBe(200)
    expect(body).toContain('Page 99 is empty')
    expect(body).toContain(`href="${path}?page=1"`)
    expect(body).not.toContain('Nobody has signed in yet')
    expect(body).not.toContain('Nothing so far')
  })

  test('cannot suspend themselves', async () => {
    const operator = await service.signedIn(OPERATOR)
    const path = await pageOf(operator, OPERATOR.email)
    await operator.get(path)
    expect((await operator.send(`${path}/suspend`)).status).toBe(403)
    expect((await operator.get('/admin')).status).toBe(200)
  })

  test.each(['/admin/users/unknown', '/admin/users/%00', '/admin/users/..%2f'])('%s is not there', async (path) => {
    expect((await (await service.signedIn(OPERATOR)).get(path)).status).toBe(404)
  })

  test('see what failed, by reason and by host', async () => {
    const operator = await service.signedIn(OPERATOR)
    await play(operator, '/gone')
    const { status, body } = await operator.get('/admin/health')
    expect(status).toBe(200)
    expect(body).toContain(new URL(service.app.origin).host)
  })

  test.each(['-1', '0', 'x', '99999999999999999999', '2'])('page %s of a list is a page', async (page) => {
    const operator = await service.signedIn(OPERATOR)
    for (const path of ['/admin', '/admin/audit']) expect((await operator.get(`${path}?page=${page}`)).status).toBe(200)
  })
})

describe('an account', () => {
  test('is deleted only by whoever types its address, with its keys, and is new afterwards', async () => {
    await using fresh = await startMemberApp({ origin })
    const browser = await fresh.signedIn(JO)
    await browser.get('/keys')
    const key = /urlmeta_live_[0-9a-f]{32}/.exec((await browser.send('/keys', { name: 'blog' })).body)![0]
    expect((await fresh.app.metadata(key, '/')).status).toBe(200)

    await browser.get('/account')
    const refused = await browser.send('/account/delete', { confirm: 'somebody@example.com' })
    expect([refused.status, refused.body]).toEqual([400, expect.stringContaining(`Type ${JO.email}`)])
    const gone = await browser.send('/account/delete', { confirm: ' JO@example.com' })
    expect(gone.body).toContain('Your account is deleted')
    expect((await fresh.app.metadata(key, '/')).status).toBe(401)
    expect((await browser.get('/keys')).url.pathname).toBe('/sign-in')

    const again = await fresh.signedIn(JO)
    expect((await again.get('/keys')).body).not.toContain(key.slice(-4))
    const exported = JSON.parse((await again.get('/account/export')).body) as { usage: { months: object[] } }
    // The month goes on as it was left.
    expect(exported.usage.months).toMatchObject([{ used: 1 }])
  })

  test('is handed out in full', async () => {
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
    ['a page that is not there', '/nothing', 404],
    ['another method', '/keys/x/deactivate', 405],
    ['in the API', '/v1/nothing', 404],
  ])('%s', async (_, path, status) => {
    const isApi = path.startsWith('/v1/')
    const { status: answered, headers } = await service.browser().get(path)
    expect(answered).toBe(status)
    expect(headers.get('content-type')).toBe(isApi ? 'application/json' : 'text/html; charset=utf-8')
  })

  test.each(['/%22%3E%3Cscript%3Ex()%3C/script%3E', "/'onload='x()", '/<script>x()</script>'])(
    'the path %s stays text',
    async (path) => {
      const { status, body } = await service.browser().get(path)
      expect(status).toBe(404)
      expect(body).not.toContain('<script>x()')
      expect(body).not.toMatch(/'onload='/)
    },
  )

  test('without its database the service says so to people too, and no more than that', async () => {
    await using broken = await startMemberApp()
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
  })

  test('programs get JSON', async () => {
    const answer = await fetch(`${service.base}/nothing`, { headers: { accept: 'application/json' } })
    expect([answer.status, await answer.json()]).toEqual([404, { error: 'Not found' }])
  })
})

test('the documentation is there for everybody', async () => {
  const { status, body } = await service.browser().get('/docs')
  expect([status, body]).toEqual([200, expect.stringContaining('/v1/metadata')])
})
