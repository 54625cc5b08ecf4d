import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createSignInSession } from '../../src/http/session/sign-in-session.ts'
import { memoryRateLimiter } from '../../src/store/memory/rate-limiter.ts'
import { withinMinute } from '../clock-minute.ts'
import { freePort } from '../free-port.ts'
import { ANN, EVE, JO, LENGTHY, NEW_OPERATOR, OPERATOR, SCRIPTED, SUCCESSOR } from '../identity/people.ts'
import { createBrowser } from './browser.ts'
import { type SignInApp, signInBy, startSignInApp } from './sign-in-app.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

let service: SignInApp
beforeAll(async () => void (service = await startSignInApp()))
afterAll(() => service[Symbol.asyncDispose]())

describe.each(['github', 'google', 'staff'] as const)('sign-in with %s', (by) => {
  test('signs in and redirects to the requested page', async () => {
    const browser = service.browser()
    const page = await signInBy(browser, JO, by, '/usage?days=90')
    expect([page.status, page.url.href]).toEqual([200, `${service.base}/usage?days=90`])
    expect(page.body).toContain('jo@example.com')
    expect(page.headers.get('cache-control')).toBe('private, no-store')
  })

  test('the authorization request has PKCE, a state and our callback', async () => {
    const response = await service
      .browser()
      .request(`${service.base}/sign-in/${by}`, { headers: { host: 'evil.test' } })
    const url = new URL(response.headers.get('location')!)
    expect(response.status).toBe(303)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: `${service.base}/sign-in/${by}/callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(url.searchParams.has('nonce')).toBe(by !== 'github')
    expect(response.headers.get('set-cookie')).toMatch(
      /^urlmeta_attempt=[\w-]{43}; (?=.*HttpOnly)(?=.*SameSite=Lax)(?=.*Path=\/)(?=.*Max-Age=900)/i,
    )
  })

  test('canceling at the provider shows a message', async () => {
    const browser = service.browser()
    await browser.get(`/sign-in/${by}`)
    const page = await browser.send(browser.page.url.href, {})
    expect(page.status).toBe(403)
    expect(page.body).toContain('Sign-in was canceled')
  })

  test("an unverified address is refused and does not open the owner's account", async () => {
    await service.signedIn(JO)
    const browser = service.browser()
    const page = await signInBy(browser, EVE, by)
    expect(page.status).toBe(403)
    expect(page.body).toContain('not verified')
    expect((await browser.get('/keys')).url.pathname).toBe('/sign-in')
  })
})

test('two providers with the same verified address open the same account', async () => {
  const byGithub = await service.signedIn(ANN, 'github')
  await byGithub.get('/keys')
  await byGithub.send('/keys', { name: 'created with GitHub' })
  const byGoogle = await service.signedIn(ANN, 'google')
  expect((await byGoogle.get('/keys')).body).toContain('created with GitHub')
})

test('the address may come from the userinfo endpoint only', async () => {
  await using other = await startSignInApp({ emailIn: 'userinfo' })
  const browser = await other.signedIn(JO, 'google')
  expect(browser.page.body).toContain('jo@example.com')
})

describe.each(['github', 'google', 'staff'] as const)('account matching with %s', (by) => {
  test.each([
    ['a user’s', JO, SUCCESSOR],
    ['an operator’s', OPERATOR, NEW_OPERATOR],
  ])('an address that was %s does not give its new owner the account', async (_, before, after) => {
    await using other = await startSignInApp()
    await other.signedIn(before, by)
    const browser = other.browser()
    const page = await signInBy(browser, after, by)
    expect([page.status, page.body]).toEqual([409, expect.stringContaining('This address belongs to another account')])
    expect(other.app.log).toContainEqual(
      expect.objectContaining({ msg: 'sign-in failed', detail: 'refused by the account rules' }),
    )
    expect((await browser.get('/keys')).url.pathname).toBe('/sign-in')
  })

  test('the same subject at another issuer is another person, also for operators', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'urlmeta-issuers-'))
    try {
      const env = { URLMETA_DATA_DIR: folder }
      {
        await using before = await startSignInApp({ env })
        const operator = await before.signedIn(OPERATOR, by)
        await operator.get('/keys')
        await operator.send('/keys', { name: 'key of the operator' })
      }
      // The providers start on other ports, so their issuers differ from before.
      await using after = await startSignInApp({ env })
      const email = 'somebody@example.com'
      after.github.emails.set(OPERATOR.id, [{ email, primary: true, verified: true }])
      for (const issuer of [after.oidc, after.staff]) issuer.claims.set(String(OPERATOR.id), { email })
      const browser = await after.signedIn(OPERATOR, by)
      expect(browser.page).toMatchObject({ status: 200, body: expect.stringContaining(email) })
      expect((await browser.get('/keys')).body).not.toContain('key of the operator')
      expect((await browser.get('/admin')).status).toBe(403)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

test.each<[string, object, number]>([
  ['email_verified as text', { email_verified: 'true' }, 403],
  ['no email_verified', { email_verified: undefined }, 403],
  ['xms_edov (Entra) instead', { email_verified: undefined, xms_edov: true }, 200],
  ['xms_edov as text', { email_verified: undefined, xms_edov: '1' }, 200],
  ['xms_edov that is false', { email_verified: undefined, xms_edov: false }, 403],
  ['email_verified that is false beside xms_edov', { email_verified: false, xms_edov: true }, 403],
])('an issuer with %s', async (_, claims, status) => {
  service.staff.claims.set(String(ANN.id), claims)
  try {
    expect((await signInBy(service.browser(), ANN, 'staff')).status).toBe(status)
  } finally {
    service.staff.claims.delete(String(ANN.id))
  }
})

test('the same subject at two configured issuers is two people', async () => {
  await using other = await startSignInApp()
  other.staff.claims.set(String(JO.id), { email: 'kim@example.com' })
  const jo = await other.signedIn(JO, 'google')
  await jo.get('/keys')
  await jo.send('/keys', { name: 'key of Jo' })
  const kim = await other.signedIn(JO, 'staff')
  expect(kim.page.body).toContain('kim@example.com')
  expect((await kim.get('/keys')).body).not.toContain('key of Jo')
})

test('every configured provider has a button with its label', async () => {
  const { body } = await service.browser().get('/sign-in')
  for (const [path, label] of [
    ['github', `GitHub (${new URL(service.github.url).host})`],
    ['google', new URL(service.oidc.issuer).host],
    ['staff', 'Staff login'],
  ]) {
    expect(body).toContain(`href="/sign-in/${path}"`)
    expect(body).toContain(`Continue with ${label}`)
  }
})

test('long names and logins are truncated between characters', async () => {
  const browser = await service.signedIn(LENGTHY)
  const exported = JSON.parse((await browser.get('/account/export')).body) as {
    account: { name: string }
    identities: { account: string }[]
  }
  expect(exported.account.name).toBe('😀'.repeat(100))
  expect(exported.identities[0]!.account).toBe('l'.repeat(254))
})

test('scripts in a name from the provider are escaped', async () => {
  const browser = await service.signedIn(SCRIPTED)
  for (const path of ['/', '/account', '/keys']) {
    const { body, status } = await browser.get(path)
    expect(status).toBe(200)
    expect(body).not.toContain('<script>x()')
    expect(body).not.toContain('<img src=x')
  }
  const operator = await service.signedIn(OPERATOR)
  expect((await operator.get('/admin?q=%22%3E%3Cscript%3Ex()')).body).not.toContain('<script>x()')
  expect((await operator.get('/admin')).body).not.toContain('<script>x()')
})

describe('a sign-in attempt that was tampered with', () => {
  /** The callback URL to which the provider would send the browser. */
  async function callbackOf(browser: ReturnType<SignInApp['browser']>, by = 'github', person = JO): Promise<URL> {
    await browser.get(`/sign-in/${by}`)
    const answer = await browser.request(browser.page.url.href, {
      method: 'POST',
      body: `person=${person.id}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    return new URL(answer.headers.get('location')!)
  }

  const EXPIRED = 'This sign-in attempt has expired'

  test.each(['/sign-in/github', '/sign-in/google', '/sign-in'])('survives another tab opening %s', async (path) => {
    const browser = service.browser()
    const callback = await callbackOf(browser)
    await browser.get(path)
    expect(await browser.get(callback.href)).toMatchObject({ status: 200, url: { pathname: '/' } })
  })

  test('survives a HEAD request for its callback', async () => {
    const browser = service.browser()
    const callback = await callbackOf(browser)
    expect((await browser.request(callback.href, { method: 'HEAD' })).status).toBe(204)
    expect((await browser.get(callback.href)).status).toBe(200)
  })

  test('a browser token that this service did not create is replaced', async () => {
    const headers = { cookie: `urlmeta_attempt=${'x'.repeat(42)}` }
    const started = await fetch(`${service.base}/sign-in/github`, { headers, redirect: 'manual' })
    expect(started.headers.get('set-cookie')).toMatch(/^urlmeta_attempt=[\w-]{43};/)
  })

  test('two attempts in two tabs both succeed', async () => {
    const browser = service.browser()
    const [first, second] = [await callbackOf(browser), await callbackOf(browser)]
    expect((await browser.get(first.href)).status).toBe(200)
    expect((await browser.get(second.href)).status).toBe(200)
    expect((await browser.get('/keys')).url.pathname).toBe('/keys')
  })

  test('a state cannot be used twice', async () => {
    const browser = service.browser()
    const callback = await callbackOf(browser)
    const cookie = await browser.cookies.getCookieString(service.base)
    expect((await browser.get(callback.href)).status).toBe(200)
    const again = await browser.request(callback.href, { headers: { cookie } })
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining(EXPIRED)])
  })

  test('a forged state is refused', async () => {
    const browser = service.browser()
    const callback = await callbackOf(browser)
    callback.searchParams.set('state', 'A'.repeat(43))
    expect(await browser.get(callback.href)).toMatchObject({ status: 400, body: expect.stringContaining(EXPIRED) })
  })

  test.each(['state', 'code'])('is refused without its %s', async (name) => {
    const browser = service.browser()
    const callback = await callbackOf(browser)
    callback.searchParams.delete(name)
    const page = await browser.get(callback.href)
    expect(page.status).toBe(name === 'state' ? 400 : 502)
    expect((await browser.get('/keys')).url.pathname).toBe('/sign-in')
  })

  test('is refused in another browser (login CSRF)', async () => {
    const callback = await callbackOf(service.browser())
    const victim = service.browser()
    expect((await victim.get(callback.href)).status).toBe(400)
    await victim.get('/sign-in/github')
    expect((await victim.get(callback.href)).status).toBe(400)
  })

  test('the code of one attempt with the state of another is refused by PKCE', async () => {
    const attackers = await callbackOf(service.browser(), 'github', ANN)
    const browser = service.browser()
    const callback = await callbackOf(browser)
    callback.searchParams.set('code', attackers.searchParams.get('code')!)
    const page = await browser.get(callback.href)
    expect(page.status).toBe(502)
    expect((await browser.get('/keys')).url.pathname).toBe('/sign-in')
  })

  test('is refused at the callback of another provider', async () => {
    const browser = service.browser()
    const callback = await callbackOf(browser)
    const page = await browser.get(callback.href.replace('/github/', '/google/'))
    expect(page.status).toBe(400)
  })

  test.each<[string, string | null]>([
    ['has another issuer', 'https://evil.test'],
    ['has no issuer although the provider announces one (RFC 9207)', null],
  ])('a response that %s', async (_, issuer) => {
    const browser = service.browser()
    const callback = await callbackOf(browser, 'google')
    // oidc-provider redirects twice: to one of its own paths, then to the service.
    let back = callback
    while (!back.href.startsWith(service.base)) {
      const step = await browser.request(back.href)
      back = new URL(step.headers.get('location')!, back)
    }
    if (issuer === null) back.searchParams.delete('iss')
    else back.searchParams.set('iss', issuer)
    expect((await browser.get(back.href)).status).toBe(502)
  })

  test.each<[string, string | null, number]>([
    ['has another issuer', 'https://evil.test/login/oauth', 502],
    ['has no issuer, as of older GitHub Enterprise servers', null, 200],
  ])('a response of GitHub that %s', async (_, issuer, status) => {
    const browser = service.browser()
    const callback = await callbackOf(browser)
    if (issuer === null) callback.searchParams.delete('iss')
    else callback.searchParams.set('iss', issuer)
    expect((await browser.get(callback.href)).status).toBe(status)
  })

  test('the PKCE verifier is sent to the provider and never to the browser', async () => {
    const browser = service.browser()
    const callback = await callbackOf(browser)
    await browser.get(callback.href)
    const verifier = service.github.exchanges.at(-1)!.get('code_verifier')!
    expect(verifier).toMatch(/^[\w-]{43}$/)
    expect(callback.href).not.toContain(verifier)
    expect(await browser.cookies.getCookieString(service.base)).not.toContain(verifier)
  })
})

test('sign-in requests from unknown addresses share one limit', async () => {
  const limit = { clientOf: () => null, signInLimiter: memoryRateLimiter(), newToken: () => '', now: () => 0 }
  const session = createSignInSession({ ...limit, sessions: {} as never, cookies: {} as never })
  const count = () => session.countAttempt(new Request(service.base))
  for (let i = 0; i < 30; i++) await count()
  await expect(count()).rejects.toMatchObject({ problem: 'too_many_attempts' })
})

describe('a failing provider', () => {
  test('whose endpoints cannot be read leaves nothing behind', async () => {
    await using other = await startSignInApp({ env: { URLMETA_OIDC_STAFF_ISSUER: `http://127.0.0.1:${freePort()}` } })
    const page = await other.browser().get('/sign-in/staff')
    expect([page.status, page.body]).toEqual([502, expect.stringContaining('The identity provider')])
    using database = new Database(join(other.app.dataDir, 'urlmeta.db'), { readonly: true })
    expect(database.query('SELECT * FROM tickets').all()).toEqual([])
  })

  test.each<[string, () => Response | Promise<Response>]>([
    ['refuses', () => Response.json({ error: 'bad_verification_code' })],
    ['responds with 500', () => new Response('oops', { status: 500 })],
    ['sends no JSON', () => new Response('<html>')],
    ['sends no token', () => Response.json({})],
    ['redirects', () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } })],
    ['sends a response over the size limit', () => new Response('x'.repeat(1024 * 1024))],
  ])('%s', async (_, respond) => {
    service.github.tokenResponse = respond
    const earlier = service.app.log.length
    try {
      const browser = service.browser()
      const page = await signInBy(browser, JO, 'github')
      expect(page.status).toBe(502)
      expect(page.body).toContain('The identity provider returned an error')
      expect(service.app.log.slice(earlier)).toContainEqual(
        expect.objectContaining({ level: 'warn', problem: 'provider_failed' }),
      )
    } finally {
      service.github.tokenResponse = null
    }
  })

  const SECRET = 'gho_16C7e42F292c6912E7'

  test.each<[string, () => Response, string]>([
    ['an error', () => Response.json({ error: 'bad_verification_code', at: SECRET }), 'bad_verification_code'],
    ['an error without a code', () => Response.json({ error: SECRET }), 'unknown error code'],
    [
      'a status with an error code',
      () => Response.json({ error: 'invalid_client', error_description: SECRET }, { status: 401 }),
      'HTTP 401 invalid_client',
    ],
    ['a status without one', () => Response.json({ error: `bad ${SECRET}` }, { status: 400 }), 'HTTP 400'],
    ['a status with text', () => new Response(SECRET, { status: 500 }), 'HTTP 500'],
    ['text', () => new Response(`{"access_token": "${SECRET}`), 'not a JSON object'],
  ])('of %s the log has the status and the error code, and nothing else', async (_, respond, text) => {
    service.github.tokenResponse = respond
    const before = service.app.log.length
    try {
      await signInBy(service.browser(), JO, 'github')
    } finally {
      service.github.tokenResponse = null
    }
    const lines = JSON.stringify(service.app.log.slice(before))
    expect(lines).toContain(text)
    expect(lines).not.toContain(SECRET)
  })

  test('the log does not have the error text from the callback URL', async () => {
    const browser = service.browser()
    const before = service.app.log.length
    await browser.get('/sign-in/github')
    const state = browser.page.url.searchParams.get('state')!
    const page = await browser.get(`${service.base}/sign-in/github/callback?state=${state}&error=${SECRET}`)
    expect(page.status).toBe(502)
    const lines = JSON.stringify(service.app.log.slice(before))
    expect(lines).toContain('the response has no code')
    expect(lines).not.toContain(SECRET)
  })

  test.each<[string, object[], number]>([
    ['no address', [], 403],
    ['unverified primary address', [{ email: 'jo@example.com', primary: true, verified: false }], 403],
    ['only a secondary address is verified', [{ email: 'jo@example.com', primary: false, verified: true }], 403],
    ['invalid address', [{ email: 'jo', primary: true, verified: true }], 403],
    // The Kelvin sign, which `toLowerCase` turns into k.
    ['an address that only folds to ASCII', [{ email: '\u212Aim@example.com', primary: true, verified: true }], 403],
    ['an address with white space', [{ email: 'jo@example.com\n', primary: true, verified: true }], 403],
  ])('GitHub returns %s', async (_, emails, status) => {
    service.github.emails.set(JO.id, emails)
    try {
      expect((await signInBy(service.browser(), JO, 'github')).status).toBe(status)
    } finally {
      service.github.emails.delete(JO.id)
    }
  })
})

describe('the redirect after sign-in', () => {
  test.each([
    ['https://evil.test/', '/'],
    ['//evil.test', '/'],
    ['/\\evil.test', '/'],
    ['/..//evil.test', '/'],
    ['/%2e%2e//evil.test', '/'],
    ['/\t/evil.test', '/'],
    ['javascript:alert(1)', '/'],
    ['/keys', '/keys'],
  ])('%j → %s', async (next, path) => {
    const page = await signInBy(service.browser(), JO, 'github', next)
    expect(page.url.href).toBe(service.base + path)
    const signedIn = await service.signedIn(JO)
    expect((await signedIn.get(`/sign-in?next=${encodeURIComponent(next)}`)).url.href).toBe(service.base + path)
  })

  test('returns to the page that required sign-in', async () => {
    const browser = service.browser()
    const page = await browser.get('/usage?days=90')
    expect(page.url.pathname + page.url.search).toBe('/sign-in?next=%2Fusage%3Fdays%3D90')
    expect(page.body).toContain('/sign-in/github?next=%2Fusage%3Fdays%3D90')
  })
})

describe('a provider that is not configured', () => {
  test.each(['/sign-in/google', '/sign-in/google/callback', '/sign-in/facebook'])('%s is not found', async (path) => {
    await using other = await startSignInApp({
      env: { URLMETA_GOOGLE_CLIENT_ID: '', URLMETA_GOOGLE_CLIENT_SECRET: '', URLMETA_GOOGLE_ISSUER: '' },
    })
    expect((await other.browser().get(path)).status).toBe(404)
  })
})

describe('sign-in steps per minute', () => {
  const UNTRUSTED = { URLMETA_TRUSTED_PROXIES: '' }

  test.each([
    ['an address has thirty steps', {}, () => '10.0.0.1', 30],
    ['X-Forwarded-For of an untrusted peer does not matter', UNTRUSTED, (i: number) => `203.0.113.${i}`, 30],
    ['behind a trusted proxy each client has its own limit', {}, (i: number) => `203.0.113.${i}`, 40],
    ['clients whose proxy wrote no address share one limit', {}, (i: number) => `203.0.113.${i}, unknown`, 30],
    ['the addresses of an IPv6 /64 share one limit', {}, (i: number) => `2001:db8:0:1::${i}`, 30],
  ])('%s', async (_name, env, addressOf, allowed) => {
    await using other = await startSignInApp({ env })
    await withinMinute(20)
    const steps = Array.from({ length: 40 }, (_, i) =>
      createBrowser(other.base, addressOf(i)).request(`${other.base}/sign-in/github`),
    )
    const responses = await Promise.all(steps)
    const statuses = responses.map(({ status }) => status)
    const waits = responses.flatMap(({ status, headers }) => (status === 429 ? [headers.get('retry-after')] : []))
    expect(waits.filter((wait) => wait !== '60')).toEqual([])
    expect(statuses.filter((status) => status === 303)).toHaveLength(allowed)
    expect(statuses.filter((status) => status === 429)).toHaveLength(40 - allowed)
  })

  test.each([
    ['a return from a provider', 'GET', '/sign-in/github/callback'],
    ['opening a sign-in link', 'GET', '/sign-in/link'],
    ['redeeming a sign-in link', 'POST', '/sign-in/link'],
  ])('%s is one', async (_, method, path) => {
    await using other = await startSignInApp({})
    // A new minute may start in between.
    const steps = Array.from({ length: 61 }, () => createBrowser(other.base).request(other.base + path, { method }))
    const statuses = (await Promise.all(steps)).map(({ status }) => status)
    expect(statuses).toContain(429)
  })
})
