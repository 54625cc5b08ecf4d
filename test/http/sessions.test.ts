import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { withinMinute } from '../clock-minute.ts'
import { ANN, JO, OPERATOR, SCRIPTED } from '../identity/people.ts'
import { attributeIn } from '../page-tree.ts'
import type { Browser } from './browser.ts'
import { databaseText } from './database-text.ts'
import { type SignInApp, signInBy, startSignInApp } from './sign-in-app.ts'
import { fieldIn, sessionIdsIn } from './page-parts.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

let service: SignInApp
beforeAll(async () => void (service = await startSignInApp()))
afterAll(() => service[Symbol.asyncDispose]())

const tokenOf = async (browser: Browser, name = 'urlmeta_session') =>
  (await browser.cookies.getCookies(service.base)).find(({ key }) => key === name)?.value

describe('the session cookie', () => {
  test('is HttpOnly and SameSite', async () => {
    const browser = service.browser()
    await signInBy(browser, JO, 'github')
    const [cookie] = (await browser.cookies.getCookies(service.base)).filter(({ key }) => key === 'urlmeta_session')
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'lax', path: '/', hostOnly: true, secure: false })
    expect(cookie!.value).toMatch(/^[\w-]{43}$/)
  })

  test('has the prefix __Host- on https', async () => {
    await using secure = await startSignInApp({ env: { URLMETA_BASE_URL: 'https://meta.example' } })
    const answer = await fetch(`${secure.app.url}/sign-in/github`, { redirect: 'manual' })
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-urlmeta_attempt=[^;]+;(?=.* Secure)(?!.*Domain)/)
    expect(answer.headers.get('location')).toContain(encodeURIComponent('https://meta.example/sign-in/github/callback'))
  })

  test('is stored only as a hash', async () => {
    const browser = await service.signedIn(JO)
    const token = (await tokenOf(browser))!
    const stored = databaseText(service.app.dataDir)
    expect([stored.includes(JO.email), stored.includes(token)]).toEqual([true, false])
    expect(JSON.stringify(service.app.log)).not.toContain(token)
  })
})

test('only the owner can read the secret of the service', () => {
  expect(statSync(join(service.app.dataDir, 'secret')).mode & 0o777).toBe(0o600)
})

test('session fixation: a planted token is invalid after sign-in', async () => {
  const attacker = await service.signedIn(ANN)
  const planted = (await tokenOf(attacker))!
  const victim = service.browser()
  await victim.cookies.setCookie(`urlmeta_session=${planted}; Path=/`, service.base)
  await signInBy(victim, JO, 'github')
  expect(await tokenOf(victim)).not.toBe(planted)
  expect((await attacker.get('/keys')).url.pathname).toBe('/sign-in')
  expect((await victim.get('/')).body).toContain(JO.email)
})

test.each(['', 'x', 'A'.repeat(43), '%00', '{"a":1}', '__proto__'])('the token %j opens nothing', async (token) => {
  const answer = await fetch(`${service.base}/keys`, {
    headers: { cookie: `urlmeta_session=${token}`, accept: 'text/html' },
    redirect: 'manual',
  })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fkeys'])
})

test('non-browser clients get JSON instead of the sign-in page', async () => {
  const answer = await fetch(`${service.base}/keys`, { redirect: 'manual' })
  expect([answer.status, await answer.json()]).toEqual([401, { error: 'Sign in first.' }])
})

test('signing out ends the session on the server', async () => {
  const browser = await service.signedIn(JO)
  const cookie = await browser.cookies.getCookieString(service.base)
  const page = await browser.send('/sign-out')
  expect(page.url.pathname).toBe('/sign-in')
  expect(page.body).toContain('You are signed out.')
  expect(await tokenOf(browser)).toBeUndefined()
  const answer = await fetch(`${service.base}/keys`, { headers: { cookie }, redirect: 'manual' })
  expect(answer.status).toBe(401)
  expect((await browser.get('/sign-in')).body).not.toContain('You are signed out.')
})

test('ending all other sessions leaves only the current one', async () => {
  const browsers = [await service.signedIn(ANN), await service.signedIn(ANN), await service.signedIn(ANN)]
  const [one, two] = browsers as [(typeof browsers)[0], (typeof browsers)[0]]
  await one.get('/account')
  expect(sessionIdsIn(one.page).length).toBeGreaterThanOrEqual(2)
  const page = await one.send('/account/sessions/revoke-others')
  expect(page.status).toBe(200)
  expect(sessionIdsIn(page)).toEqual([])
  expect((await two.get('/account')).url.pathname).toBe('/sign-in')
  expect((await one.get('/account')).url.pathname).toBe('/account')
})

/** Sends a form of the last visited page without its last byte. */
async function holdForm(browser: Browser, path: string, fields: Record<string, string>) {
  const body = new URLSearchParams({ csrf: fieldIn(browser.page, 'csrf'), ...fields }).toString()
  const { host, hostname, port } = new URL(service.app.url)
  const socket = connect(Number(port), hostname)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Cookie: ${await browser.cookies.getCookieString(service.base)}`,
    'Accept: text/html',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`, resolve))
  return async () => {
    socket.write(body.slice(-1))
    return text(socket)
  }
}

describe('a form that the client completes after', () => {
  test.each<[string, (browser: Browser) => Promise<unknown>]>([
    ['the user has signed out', (browser) => browser.send('/sign-out')],
    [
      'the user has signed out elsewhere',
      async () => {
        const other = await service.signedIn(JO)
        await other.get('/account')
        await other.send('/account/sessions/revoke-others')
      },
    ],
    [
      'the user was suspended',
      async () => {
        const operator = await service.signedIn(OPERATOR)
        const { document } = await operator.get(`/admin?q=${JO.email}`)
        const path = attributeIn(document.querySelector('a[href^="/admin/users/"]'), 'href')
        await operator.get(path)
        await operator.send(`${path}/suspend`)
        await operator.send(`${path}/resume`)
      },
    ],
    [
      'the account was deleted',
      async (browser) => {
        await browser.get('/account')
        await browser.send('/account/delete', { confirm: JO.email })
      },
    ],
  ])('%s changes nothing, and is kept', async (_, end) => {
    const browser = await service.signedIn(JO)
    await browser.get('/keys')
    const complete = await holdForm(browser, '/keys', { name: 'held' })
    await end(browser)
    const answer = await complete()
    expect(answer).toMatch(/^HTTP\/1\.1 303 [^]*\nlocation: \/sign-in\?/i)
    expect(answer).toMatch(/\nset-cookie: urlmeta_draft=/i)
    expect((await (await service.signedIn(JO)).get('/keys')).body).not.toContain('held')
  })
})

describe('sessions expire', () => {
  const DAY_MS = 24 * 60 * 60_000

  /** Moves the session's times into the past by a number of days. */
  function age(days: { createdDays: number; seenDays: number }) {
    const database = new Database(join(service.app.dataDir, 'urlmeta.db'))
    const [created, seen] = [Date.now() - days.createdDays * DAY_MS, Date.now() - days.seenDays * DAY_MS]
    const expires = Math.min(created + 30 * DAY_MS, seen + 7 * DAY_MS)
    database.run('UPDATE sessions SET created_at = ?, last_seen_at = ?, expires_at = ?', [created, seen, expires])
    database.close()
  }

  test.each([
    ['unused for six days', { createdDays: 6, seenDays: 6 }, '/keys'],
    ['unused for a week', { createdDays: 8, seenDays: 7 }, '/sign-in'],
    ['in use for twenty-nine days', { createdDays: 29, seenDays: 0.01 }, '/keys'],
    ['in use for thirty days', { createdDays: 30, seenDays: 0.01 }, '/sign-in'],
  ])('%s', async (_, days, path) => {
    const browser = await service.signedIn(JO)
    age(days)
    expect((await browser.get('/keys')).url.pathname).toBe(path)
  })

  test('use extends a session, to thirty days at most', async () => {
    const browser = await service.signedIn(JO)
    age({ createdDays: 28, seenDays: 6 })
    await browser.get('/keys')
    const database = new Database(join(service.app.dataDir, 'urlmeta.db'))
    const { left } = database
      .query<{ left: number }, [number]>('SELECT max(expires_at) - ? AS left FROM sessions')
      .get(Date.now())!
    database.close()
    expect(left / DAY_MS).toBeCloseTo(2, 1)
  })
})

test(
  'a user opens 300 pages per minute, in all browsers together, and others are not limited',
  async () => {
    const other = await service.signedIn(ANN)
    await withinMinute(10)
    // Each opens the overview.
    const browsers = [await service.signedIn(SCRIPTED), await service.signedIn(SCRIPTED)]
    for (let i = 0; i < 300 - browsers.length; i++)
      expect((await browsers[i % 2]!.get('/usage/requests.csv')).status).toBe(200)
    for (const browser of browsers) {
      const page = await browser.get('/usage')
      const seconds = Number(page.headers.get('retry-after'))
      expect(seconds).toBeWithin(1, 61)
      expect([page.status, page.body]).toEqual([
        429,
        expect.stringContaining(
          `Rate limit exceeded: 300 pages per minute allowed per user. Retry in ${seconds} seconds.`,
        ),
      ])
      expect((await browser.get('/')).status).toBe(429)
      expect((await browser.send('/keys', { name: 'refused' })).status).toBe(429)
      expect((await browser.get('/docs')).status).toBe(200)
    }
    expect(await service.app.logged({ route: '/usage', outcome: 'page_limit' })).toMatchObject({ status: 429 })
    expect((await other.get('/usage')).status).toBe(200)
  },
  PATIENT_TEST_MS,
)
