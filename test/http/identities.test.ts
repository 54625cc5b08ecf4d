import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ANN, JO, NEW_OPERATOR, OPERATOR, SUCCESSOR } from '../identity/people.ts'
import type { Browser } from './browser.ts'
import { type SignInApp, signInBy, startSignInApp } from './sign-in-app.ts'

let service: SignInApp
beforeAll(async () => void (service = await startSignInApp()))
afterAll(() => service[Symbol.asyncDispose]())

const REMOVE = '/account/identities/remove'

/** The issuers of the identities with a remove button on the account page. */
async function removable(browser: Browser): Promise<string[]> {
  const { body } = await browser.get('/account')
  return [...body.matchAll(/name="issuer" value="([^"]*)"/g)].map(([, issuer]) => issuer!)
}

describe('identities on /account', () => {
  test('lists every identity with provider, account and address, and the providers that are not connected', async () => {
    await service.signedIn(JO, 'github')
    const browser = await service.signedIn(JO, 'staff')
    const { body } = await browser.get('/account')
    for (const text of [`GitHub (${new URL(service.github.url).host})`, '>jo<', 'Staff login', JO.email]) {
      expect(body).toContain(text)
    }
    expect(body).toContain('href="/sign-in/google?next=%2Faccount"')
    expect(body).not.toContain('href="/sign-in/staff?next=%2Faccount"')
    expect(await removable(browser)).toEqual([`${service.github.url}/login/oauth`, service.staff.issuer])
  })

  test('one of two can be removed; the last one cannot', async () => {
    await service.signedIn(ANN, 'github')
    const browser = await service.signedIn(ANN, 'google')
    await browser.get('/account')
    const github = { issuer: `${service.github.url}/login/oauth`, subject: String(ANN.id) }
    const page = await browser.send(REMOVE, github)
    expect([page.status, page.url.pathname]).toEqual([200, '/account'])
    expect(page.body).toContain('Sign-in method removed.')
    expect(await removable(browser)).toEqual([])

    const last = { issuer: service.oidc.issuer, subject: String(ANN.id) }
    expect(await browser.send(REMOVE, last)).toMatchObject({
      status: 400,
      body: expect.stringContaining('The only sign-in method cannot be removed'),
    })
    await browser.get('/account')
    expect((await browser.send(REMOVE, github)).status).toBe(404)
  })

  test('identities of other users cannot be removed', async () => {
    const jo = await service.signedIn(JO, 'github')
    await service.signedIn(JO, 'staff')
    const operator = await service.signedIn(OPERATOR)
    await operator.get('/account')
    expect((await operator.send(REMOVE, { issuer: service.staff.issuer, subject: String(JO.id) })).status).toBe(404)
    expect(await removable(jo)).toContain(service.staff.issuer)
  })

  test('a removed identity does not give the account to the next person with its address', async () => {
    await using other = await startSignInApp()
    await other.signedIn(JO, 'google')
    const browser = await other.signedIn(JO, 'github')
    await browser.get('/account')
    await browser.send(REMOVE, { issuer: other.oidc.issuer, subject: String(JO.id) })
    expect((await signInBy(other.browser(), SUCCESSOR, 'google')).status).toBe(409)
    const exported = JSON.parse((await browser.get('/account/export')).body) as Record<string, unknown>
    expect(exported['removed_identities']).toEqual([{ issuer: other.oidc.issuer, subject: String(JO.id) }])
    // Jo connects it again.
    await signInBy(other.browser(), JO, 'google')
    expect(await removable(browser)).toContain(other.oidc.issuer)
  })

  test('an identity of a provider that is no longer configured is listed by its host', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'urlmeta-identities-'))
    try {
      const env = { URLMETA_DATA_DIR: folder }
      let host: string
      {
        await using before = await startSignInApp({ env })
        await before.signedIn(JO, 'staff')
        host = new URL(before.staff.issuer).host
      }
      // The providers start on other ports, so their issuers differ from before.
      await using after = await startSignInApp({ env })
      const browser = await after.signedIn(JO, 'github')
      expect((await browser.get('/account')).body).toContain(`${host} (not configured)`)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('an operator disconnects a user who has a new id at the provider', () => {
  test('the next sign-in with the address gets the account; the keys stay', async () => {
    await using other = await startSignInApp()
    const former = await other.signedIn(JO)
    await former.get('/keys')
    await former.send('/keys', { name: 'key of the account' })
    expect((await signInBy(other.browser(), SUCCESSOR, 'github')).status).toBe(409)

    const operator = await other.signedIn(OPERATOR)
    const path = /"(\/admin\/users\/[^"]+)"/.exec((await operator.get(`/admin?q=${JO.email}`)).body)![1]!
    await operator.get(path)
    expect((await operator.send(`${path}/disconnect`)).body).toContain('Sign-in methods removed')
    const entry = (await operator.get('/admin/audit')).document.querySelector('.log li')!.text
    for (const text of [JO.email, `jo (${other.github.url}/login/oauth)`]) expect(entry).toContain(text)
    expect((await former.get('/keys')).url.pathname).toBe('/sign-in')

    const successor = await other.signedIn(SUCCESSOR)
    expect((await successor.get('/keys')).body).toContain('key of the account')
    expect((await signInBy(other.browser(), JO, 'github')).status).toBe(409)
  })

  test('repeating it changes nothing; operators can disconnect themselves and have to sign in again', async () => {
    await using other = await startSignInApp()
    await other.signedIn(JO)
    const operator = await other.signedIn(OPERATOR)
    const pathOf = async (email: string) =>
      /"(\/admin\/users\/[^"]+)"/.exec((await operator.get(`/admin?q=${email}`)).body)![1]!
    const [jo, own] = [await pathOf(JO.email), await pathOf(OPERATOR.email)]
    await operator.get(jo)
    expect((await operator.send(`${jo}/disconnect`)).body).toContain('Sign-in methods removed')
    const repeated = await operator.send(`${jo}/disconnect`)
    expect([repeated.status, repeated.body]).toEqual([200, expect.not.stringContaining('Sign-in methods removed')])
    await operator.get(own)
    expect((await operator.send(`${own}/disconnect`)).url.pathname).toBe('/sign-in')
    expect((await (await other.signedIn(NEW_OPERATOR)).get('/admin')).status).toBe(200)
  })
})
