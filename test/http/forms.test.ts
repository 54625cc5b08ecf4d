import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { ANN, JO, OPERATOR } from '../identity/people.ts'
import type { Browser, Visited } from './browser.ts'
import { type SignInApp, signInBy, startSignInApp } from './sign-in-app.ts'
import { fieldIn, keyIdsIn, sessionIdsIn } from './page-parts.ts'

let service: SignInApp
let jo: Browser
let ann: Browser
let operator: Browser
beforeAll(async () => {
  service = await startSignInApp()
  jo = await service.signedIn(JO)
  ann = await service.signedIn(ANN, 'google')
  operator = await service.signedIn(OPERATOR)
})
afterAll(() => service[Symbol.asyncDispose]())

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const csrfOf = (browser: Browser) => fieldIn(browser.page, 'csrf')

/** The path of every form. */
const FORMS = [
  '/sign-out',
  '/keys',
  '/keys/some-key/deactivate',
  '/playground',
  '/account/delete',
  '/account/identities/remove',
  '/account/sessions/revoke-others',
  '/account/sessions/some-session/revoke',
  '/keys/some-key',
  '/keys/some-key/rotate',
  '/usage/requests/urls',
  '/account/alerts',
  '/account/alerts/test',
  '/account/alerts/remove',
  '/admin/health/backup',
  '/admin/invite',
  '/admin/invite/revoke',
  '/admin/users/some-user/limits',
  '/admin/users/some-user/plan',
  '/admin/users/some-user/suspend',
  '/admin/users/some-user/disconnect',
  '/admin/users/some-user/resume',
  '/admin/users/some-user/keys/some-key/deactivate',
]

describe.each(FORMS)('POST %s', (path) => {
  let user: Browser
  let token: string
  beforeAll(async () => {
    user = path.startsWith('/admin/') ? operator : jo
    await user.get('/keys')
    token = csrfOf(user)
  })

  const post = (headers: Record<string, string>, body: string) =>
    user.request(service.base + path, { method: 'POST', headers: { ...FORM, ...headers }, body })

  test.each<[string, Record<string, string>, (valid: string) => string]>([
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }, (valid) => `csrf=${valid}`],
    ['from another subdomain', { 'sec-fetch-site': 'same-site' }, (valid) => `csrf=${valid}`],
    ['from another origin, of an old browser', { origin: 'https://evil.test' }, (valid) => `csrf=${valid}`],
    ['without a token', { 'sec-fetch-site': 'same-origin' }, () => ''],
    ['without origin headers and without a token', {}, () => ''],
    ['with a forged token', { 'sec-fetch-site': 'same-origin' }, () => `csrf=${'A'.repeat(43)}`],
    ['with a token twice, the last one wrong', {}, (valid) => `csrf=${valid}&csrf=x`],
  ])('%s is refused', async (_, headers, body) => {
    const answer = await post(headers, body(token))
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('This form has expired')])
  })

  test('with the token of another session is refused', async () => {
    await ann.get('/keys')
    expect((await post({ 'sec-fetch-site': 'same-origin' }, `csrf=${csrfOf(ann)}`)).status).toBe(403)
  })

  test('as JSON is refused', async () => {
    const headers = { 'content-type': 'application/json' }
    expect((await post(headers, JSON.stringify({ csrf: token }))).status).toBe(400)
  })

  test('after the session has ended, says so, and returns to the page of the form after sign-in', async () => {
    const page = await service.browser().send(service.base + path)
    expect(page.url.pathname).toBe('/sign-in')
    const next = new URLSearchParams(page.url.search).get('next') ?? '/'
    expect(next === '/').toBe(path === '/sign-out')
    const notice = next === '/' ? 'You are signed out.' : 'Your session ended. Sign in to continue.'
    expect(page.body).toContain(notice)
    expect(path).toStartWith(next)
    expect((await user.get(service.base + next)).url.pathname).toBe(next)
    expect(user.page.status).toBe(next.includes('some-') ? 404 : 200)
    expect(page.body).toContain(
      next === '/' ? 'href="/sign-in/github"' : `href="/sign-in/github?next=${encodeURIComponent(next)}"`,
    )
  })

  test('does not support GET', async () => {
    const page = await user.get(`${service.base}${path}?csrf=${token}`)
    if (!['/keys', '/playground', '/admin/invite'].includes(path)) expect([404, 405]).toContain(page.status)
    expect((await user.get('/keys')).url.pathname).toBe('/keys')
  })
})

test('after the session has ended, a body that is no form leads to the sign-in page too', async () => {
  const cookie = `urlmeta_session=${'x'.repeat(43)}`
  const headers = { accept: 'text/html', 'content-type': 'application/json', cookie }
  const answer = await fetch(`${service.base}/playground`, { method: 'POST', redirect: 'manual', headers, body: '{}' })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fplayground'])
})

test.each<[string, Record<string, string>]>([
  ['from a browser that sends Origin: null', { origin: 'null' }],
  ['from a browser on plain http', {}],
  ['from our own origin', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
  ['resubmitted by reloading', { 'sec-fetch-site': 'none' }],
])('a form %s is accepted with its token', async (_, headers) => {
  await jo.get('/playground')
  const body = `csrf=${csrfOf(jo)}&url=`
  const answer = await jo.request(`${service.base}/playground`, {
    method: 'POST',
    headers: { ...FORM, ...headers },
    body,
  })
  const location = answer.headers.get('location')
  expect([answer.status, location]).toEqual([303, expect.stringMatching(/^\/playground\/results\/[\w-]{43}$/)])
  expect((await jo.get(service.base + location)).body).toContain('the URL is missing')
})

describe('the data of other users', () => {
  test('keys cannot be deactivated, and their usage cannot be seen', async () => {
    await jo.get('/keys')
    const [id] = keyIdsIn(await jo.send('/keys', { name: 'mine' }))
    await ann.get('/keys')
    expect(await ann.send(`/keys/${id}/deactivate`)).toMatchObject({ status: 404 })
    expect(await ann.get(`/usage?key=${id}`)).toMatchObject({ status: 404 })
    expect(keyIdsIn(await jo.get('/keys'))).toContain(id!)
    expect(await jo.get(`/usage?key=${id}`)).toMatchObject({ status: 200 })
  })

  test('sessions cannot be ended', async () => {
    const other = await service.signedIn(JO)
    const [id] = sessionIdsIn(await jo.get('/account'))
    await ann.get('/account')
    expect(await ann.send(`/account/sessions/${id}/revoke`)).toMatchObject({ status: 404 })
    expect((await other.get('/keys')).url.pathname).toBe('/keys')
  })

  test('is not in an export', async () => {
    const { body } = await ann.get('/account/export')
    expect(JSON.parse(body)).toMatchObject({
      account: { email: ANN.email },
      identities: [{ issuer: service.oidc.issuer }],
    })
    expect(body).not.toContain(JO.email)
  })
})

describe('operator pages', () => {
  const PAGES = [
    '/admin',
    '/admin/users/some-user',
    '/admin/requests',
    '/admin/health',
    '/admin/audit',
    '/admin/settings',
  ]

  test.each(PAGES)('%s is refused to users who are not operators', async (path) => {
    const page = await jo.get(path)
    expect([page.status, page.body]).toEqual([403, expect.stringContaining('This page is for operators.')])
  })

  test.each(PAGES)('%s requires sign-in', async (path) => {
    expect((await service.browser().get(path)).url.pathname).toBe('/sign-in')
  })

  test.each(FORMS.filter((path) => path.startsWith('/admin')))(
    '%s is refused to users who are not operators',
    async (path) => {
      await jo.get('/keys')
      expect(await jo.send(path, { plan: 'business' })).toMatchObject({ status: 403 })
    },
  )

  test('are linked only for operators', async () => {
    const links = ({ document }: Visited) => document.querySelectorAll('a[href="/admin"]')
    expect(links(await jo.get('/'))).toHaveLength(0)
    expect(links(await operator.get('/'))).toHaveLength(1)
  })
})

describe('a form submitted after the session has ended', () => {
  /** Submits the form after its session was ended in another browser, signs in again, and opens the page of the form. */
  async function resubmitted(path: string, fields: Record<string, string>) {
    const browser = await service.signedIn(OPERATOR)
    await browser.get(path)
    const csrf = csrfOf(browser)
    await endOthers()
    const answer = await browser.request(service.base + path, {
      method: 'POST',
      headers: { ...FORM, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ csrf, ...fields }).toString(),
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`])
    await signInBy(browser, OPERATOR, 'github', path)
    expect(browser.page.url.pathname).toBe(path)
    return browser
  }

  async function endOthers() {
    const other = await service.signedIn(OPERATOR)
    await other.get('/account')
    await other.send('/account/sessions/revoke-others')
  }

  test.each([
    ['/keys', 'name', 'Łódź & "co"; a=b'],
    ['/admin/invite', 'email', 'new@example.com'],
    ['/playground', 'url', 'https://example.com/page'],
  ])('%s has what was typed, once', async (path, name, value) => {
    const browser = await resubmitted(path, { [name]: value, idempotency_key: 'secret', token: 'secret' })
    expect(fieldIn(browser.page, name)).toBe(value)
    expect(fieldIn(await browser.get(path), name)).toBe('')
  })

  test('is not shown to another user of the browser', async () => {
    const browser = await service.signedIn(OPERATOR)
    await browser.get('/keys')
    await endOthers()
    expect((await browser.send('/keys', { name: 'Web team' })).url.pathname).toBe('/sign-in')
    await signInBy(browser, JO, 'github')
    expect(fieldIn(await browser.get('/keys'), 'name')).toBe('')
  })

  test('the fields of a key are opened if they were filled in', async () => {
    const browser = await resubmitted('/keys', { name: 'k', hosts: 'example.com' })
    expect(browser.page.document.querySelector('form details[open] textarea')?.text.trim()).toBe('example.com')
  })

  test.each([
    ['from another site', '/keys', { name: 'evil' }, { 'sec-fetch-site': 'cross-site' }],
    ['from another origin', '/keys', { name: 'evil' }, { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['without its token', '/keys', { name: 'evil', csrf: '' }, {}],
    ['with a URL that can have a secret', '/playground', { url: 'https://example.com/?token=secret' }, {}],
    ['that is too long for a cookie', '/playground', { url: `https://example.com/${'a'.repeat(4_000)}` }, {}],
    ['with fields that are not kept', '/account/alerts', { url: 'https://hook.example/secret' }, {}],
  ])('%s is not kept', async (_, path, fields, headers) => {
    const page = path === '/account/alerts' ? '/account' : path
    const browser = await service.signedIn(OPERATOR)
    await browser.get(page)
    const body = new URLSearchParams({ csrf: csrfOf(browser), ...fields }).toString()
    await endOthers()
    const sent = { ...FORM, 'sec-fetch-site': 'same-origin', ...headers }
    const answer = await browser.request(service.base + path, { method: 'POST', headers: sent, body })
    expect(answer.status).toBe(303)
    expect(answer.headers.getSetCookie().map((cookie) => cookie.split('=')[0])).toEqual(['urlmeta_notice'])
  })
  test.each([
    ['one byte', 'a', 1],
    ['three bytes', '你', '%25E4%25BD%25A0'.length],
  ])('is kept up to the 4,000 bytes of a cookie, with characters of %s', async (_, character, bytes) => {
    const browser = await service.signedIn(OPERATOR)
    await browser.get('/playground')
    const csrf = csrfOf(browser)
    await endOthers()
    /** The encoded draft in the cookie, if it is kept. */
    async function draftOf(url: string) {
      const headers = { ...FORM, 'sec-fetch-site': 'same-origin' }
      const body = new URLSearchParams({ csrf, url }).toString()
      const answer = await browser.request(`${service.base}/playground`, { method: 'POST', headers, body })
      const cookies = answer.headers.getSetCookie().map((cookie) => Bun.Cookie.parse(cookie))
      const draft = cookies.find(({ name }) => name === 'urlmeta_draft')
      return draft?.value
    }
    const url = 'https://example.com/'
    const empty = (await draftOf(url))!.length
    const fitting = Math.floor((4_000 - empty) / bytes)
    expect(await draftOf(url + character.repeat(fitting))).toHaveLength(empty + fitting * bytes)
    expect(await draftOf(url + character.repeat(fitting + 1))).toBeUndefined()
  })
})
