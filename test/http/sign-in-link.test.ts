import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { composeAccounts } from '../../src/compose/accounts.ts'
import { parseConfig } from '../../src/config.ts'
import { startApp, type TestApp } from './app.ts'
import { createBrowser } from './browser.ts'
import { databaseText } from './database-text.ts'

async function linkFor(app: TestApp, email = 'jo@example.com'): Promise<string> {
  const parsed = parseConfig({ URLMETA_DATA_DIR: app.dataDir })
  if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
  await using composed = await composeAccounts(parsed.config)
  const { token } = await composed.accounts.createSignInLink(email)
  return `/sign-in/link?token=${token}`
}

const tokenIn = (path: string) => path.split('token=')[1]!

describe('a sign-in link', () => {
  test('signs in when the button is pressed, and not before', async () => {
    await using app = await startApp()
    const path = await linkFor(app)
    const browser = createBrowser(app.url)
    for (const _ of [1, 2, 3]) expect((await browser.get(path)).status).toBe(200)
    expect(browser.page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(browser.page.document.querySelector('main .name')?.text).toBe('jo@example.com')
    const page = await browser.send('/sign-in/link', { token: tokenIn(path) })
    expect([page.status, page.url.pathname]).toEqual([200, '/'])
    expect(page.body).toContain('jo@example.com')
  })

  test('can be opened in two tabs', async () => {
    await using app = await startApp()
    const [first, second] = [await linkFor(app), await linkFor(app, 'ann@example.com')]
    const browser = createBrowser(app.url)
    const page = await browser.get(first)
    await browser.get(second)
    browser.page = page
    expect((await browser.send('/sign-in/link', { token: tokenIn(first) })).url.pathname).toBe('/')
  })

  test('opened with a session of another account, replaces that session', async () => {
    await using app = await startApp()
    const browser = createBrowser(app.url)
    for (const email of ['jo@example.com', 'ann@example.com']) {
      const path = await linkFor(app, email)
      const page = await browser.get(path)
      const isSignedIn = page.document.querySelector('.callout')?.text
      expect(isSignedIn).toBe(
        email === 'jo@example.com' ? undefined : 'You are signed in as jo@example.com. This ends that session.',
      )
      // The page also has the form of the menu, with the token of the session.
      const csrf = page.document.querySelector('main input[name="csrf"]')!.getAttribute('value')!
      const welcome = await browser.send('/sign-in/link', { csrf, token: tokenIn(path) })
      expect([welcome.status, welcome.document.querySelector('.menu .muted')?.text]).toEqual([200, email])
    }
    expect((await browser.get('/account')).document.querySelectorAll('form[action$="/revoke"]')).toHaveLength(0)
  })

  test('works after an error of the database', async () => {
    await using app = await startApp()
    const path = await linkFor(app)
    const browser = createBrowser(app.url)
    const page = await browser.get(path)
    const database = new Database(join(app.dataDir, 'urlmeta.db'))
    database.run("CREATE TRIGGER fault BEFORE INSERT ON users BEGIN SELECT RAISE(ABORT, 'fault'); END")
    expect((await browser.send('/sign-in/link', { token: tokenIn(path) })).status).toBe(500)
    database.run('DROP TRIGGER fault')
    database.close()
    browser.page = page
    expect((await browser.send('/sign-in/link', { token: tokenIn(path) })).url.pathname).toBe('/')
  })

  test('works once', async () => {
    await using app = await startApp()
    const path = await linkFor(app)
    const [one, two] = [createBrowser(app.url), createBrowser(app.url)]
    await one.get(path)
    await two.get(path)
    expect((await one.send('/sign-in/link', { token: tokenIn(path) })).url.pathname).toBe('/')
    const late = await two.send('/sign-in/link', { token: tokenIn(path) })
    expect([late.status, late.url.pathname]).toEqual([400, '/sign-in/link'])
    expect((await two.get('/keys')).url.pathname).toBe('/sign-in')
    expect((await createBrowser(app.url).get(path)).status).toBe(400)
  })

  test.each([
    ['a minute before it expires', 14 * 60_000, 200],
    ['when it expires', 15 * 60_000, 400],
  ])('%s', async (_, agedMs, status) => {
    await using app = await startApp()
    const path = await linkFor(app)
    const database = new Database(join(app.dataDir, 'urlmeta.db'))
    database.run('UPDATE tickets SET expires_at = expires_at - ?', [agedMs])
    database.close()
    expect((await createBrowser(app.url).get(path)).status).toBe(status)
  })

  test.each(['', 'x', 'A'.repeat(43)])('with the token %j is invalid', async (token) => {
    await using app = await startApp()
    expect((await createBrowser(app.url).get(`/sign-in/link?token=${token}`)).status).toBe(400)
  })

  test('cannot be submitted by another site (login CSRF)', async () => {
    await using app = await startApp()
    const path = await linkFor(app, 'attacker@example.com')
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'null' }]) {
      const answer = await fetch(`${app.url}/sign-in/link`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } as Record<string, string>,
        body: new URLSearchParams({ token: tokenIn(path) }).toString(),
        redirect: 'manual',
      })
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null])
    }
  })

  test('is not logged, and stored only as a hash', async () => {
    await using app = await startApp()
    const path = await linkFor(app)
    await createBrowser(app.url).get(path)
    await app.logged({ route: '/sign-in/link' })
    expect(JSON.stringify(app.log)).not.toContain(tokenIn(path))
    const stored = databaseText(app.dataDir)
    expect([stored.includes('jo@example.com'), stored.includes(tokenIn(path))]).toEqual([true, false])
  })

  test('makes only addresses in URLMETA_ADMIN_EMAILS operators', async () => {
    await using app = await startApp({ env: { URLMETA_ADMIN_EMAILS: 'op@example.com' } })
    for (const [email, status] of [
      ['op@example.com', 200],
      ['jo@example.com', 403],
    ] as const) {
      const path = await linkFor(app, email)
      const browser = createBrowser(app.url)
      await browser.get(path)
      await browser.send('/sign-in/link', { token: tokenIn(path) })
      expect((await browser.get('/admin')).status).toBe(status)
    }
  })
})
