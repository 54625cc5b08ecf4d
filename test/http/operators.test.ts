import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import type { HTMLElement } from 'node-html-parser'

import { parseConfig } from '../../src/config.ts'
import { ANN, JO, OPERATOR, type Person, SCRIPTED } from '../identity/people.ts'
import { startApp } from './app.ts'
import { type Browser, createBrowser, type Visited } from './browser.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'
import { newKeyIn } from './page-parts.ts'

let service: SignInApp
let operator: Browser
beforeAll(async () => {
  service = await startSignInApp({
    origin: (request) => {
      const status = Number(new URL(request.url).pathname.slice(1)) || 200
      return new Response('<title>T</title>', { status })
    },
    env: { URLMETA_METRICS_TOKEN: 'a-secret-token-of-the-tests' },
  })
  operator = await service.signedIn(OPERATOR)
})
afterAll(() => service[Symbol.asyncDispose]())

const invite = async (email: string) => {
  await operator.get('/admin/invite')
  return operator.send('/admin/invite', { email })
}
const linkIn = ({ document }: Visited) => new URL(document.querySelector('.created code')!.text)
/** The text of the cells of each row. */
const cellsIn = (rows: HTMLElement[]) =>
  rows.map((row) => row.querySelectorAll('th, td').map(({ text }) => text.trim()))
const INVALID_INVITATION = 'This invitation is no longer valid'
const titleIn = ({ document }: Visited) => document.querySelector('.callout-title')?.text.trim()
/** The status and the problem of a link that is opened in a new browser. */
const problemOf = async (path: string) => {
  const page = await service.browser().get(path)
  return [page.status, titleIn(page)]
}
/** The address and the operator of each pending invitation. */
const pendingIn = ({ document }: Visited) =>
  cellsIn(document.querySelectorAll('tbody tr')).map((cells) => cells.slice(0, 2))
const emailsIn = ({ document }: Visited) =>
  document.querySelectorAll('a[href^="/admin/users/"]').map(({ text }) => text)

describe('without an identity provider', () => {
  test('an operator creates a new link for somebody who is locked out, but not for operators', async () => {
    const chief = 'chief@example.com'
    await using app = await startApp({ env: { URLMETA_ADMIN_EMAILS: `${OPERATOR.email}, ${chief}` } })
    async function opened(path: string, invitation: object): Promise<Browser> {
      const browser = createBrowser(app.url.replace('127.0.0.1', 'localhost'), '10.2.0.1')
      await browser.get(path)
      await browser.send('/sign-in/link', {
        token: new URLSearchParams(path.split('?')[1]).get('token')!,
        ...invitation,
      })
      return browser
    }
    const { token } = await app.accounts.createSignInLink(OPERATOR.email)
    const own = await opened(`/sign-in/link?token=${token}`, {})
    const create = async (email: string) => {
      await own.get('/admin/invite')
      return own.send('/admin/invite', { email })
    }
    const pathIn = (page: Visited) => linkIn(page).pathname + linkIn(page).search
    const first = await opened(pathIn(await create('locked@example.com')), { invitation: '1' })
    expect((await first.get('/keys')).status).toBe(200)
    await first.send('/sign-out')
    const again = await create('locked@example.com')
    expect(again.document.querySelector('.created h2')?.text).toBe('Sign-in link for locked@example.com')
    const second = await opened(pathIn(again), {})
    expect((await second.get('/account')).body).toContain('locked@example.com')
    expect((await own.get('/admin/audit')).body).toContain('created a sign-in link')
    await app.accounts.createKey({ email: chief })
    const refused = await create(chief)
    expect([refused.status, refused.body]).toEqual([400, expect.stringContaining(`${chief} already has an account`)])
    const page = await own.get('/sign-in/link?token=used')
    expect(page.document.querySelector('.lead')?.text).toContain('Ask your operator for a new link')
    expect(page.document.querySelector('main details')?.text).toContain('urlmeta user sign-in-link')
  })
})

describe('an invitation', () => {
  test('creates the account when its link is redeemed, once', async () => {
    const page = await invite(' New@Example.com ')
    expect([page.status, page.document.querySelector('.created h2')?.text]).toEqual([
      200,
      'Invitation for new@example.com',
    ])
    const { pathname, search, searchParams } = linkIn(page)
    expect(emailsIn(await operator.get('/admin'))).not.toContain('new@example.com')
    const guest = service.browser()
    const invitation = await guest.get(pathname + search)
    expect([
      invitation.status,
      ...['h1', 'main .name'].map((name) => invitation.document.querySelector(name)?.text),
    ]).toEqual([200, 'You are invited to urlmeta', 'new@example.com'])
    // An error page after the form has the advice for invitations.
    expect(invitation.document.querySelector('form [name="invitation"]')?.getAttribute('value')).toBe('1')
    const welcome = await guest.send('/sign-in/link', { token: searchParams.get('token')! })
    expect([welcome.status, welcome.url.pathname]).toEqual([200, '/'])
    expect(emailsIn(await operator.get('/admin'))).toContain('new@example.com')
    expect(await problemOf(pathname + search)).toEqual([400, INVALID_INVITATION])
    expect((await operator.get('/admin/audit')).body).toContain('invited')
  })

  test('is listed until it is used', async () => {
    await invite('pending@example.com')
    const link = linkIn(await invite('pending@example.com'))
    expect(pendingIn(await operator.get('/admin/invite'))).toContainEqual(['pending@example.com', OPERATOR.email])
    const guest = service.browser()
    await guest.get(link.pathname + link.search)
    await guest.send('/sign-in/link', { token: link.searchParams.get('token')!, invitation: '1' })
    expect(pendingIn(await operator.get('/admin/invite'))).not.toContainEqual(['pending@example.com', OPERATOR.email])
  })

  test('a second invitation revokes the first', async () => {
    const { pathname, search } = linkIn(await invite('twice@example.com'))
    const second = linkIn(await invite('twice@example.com'))
    expect(
      pendingIn(await operator.get('/admin/invite')).filter(([email]) => email === 'twice@example.com'),
    ).toHaveLength(1)
    expect(await problemOf(pathname + search)).toEqual([400, INVALID_INVITATION])
    expect((await service.browser().get(second.pathname + second.search)).status).toBe(200)
  })

  test('is revoked, also while its page is open', async () => {
    const { pathname, search, searchParams } = linkIn(await invite('revoked@example.com'))
    const guest = service.browser()
    await guest.get(pathname + search)
    const page = await operator.send('/admin/invite/revoke', { email: 'revoked@example.com' })
    expect([page.url.pathname, page.document.querySelector('.notice')?.text.trim()]).toEqual([
      '/admin/invite',
      'Invitation revoked. Its link no longer works.',
    ])
    expect(pendingIn(page)).not.toContainEqual(['revoked@example.com', OPERATOR.email])
    expect(await problemOf(pathname + search)).toEqual([400, INVALID_INVITATION])
    const refused = await guest.send('/sign-in/link', { token: searchParams.get('token')!, invitation: '1' })
    expect([refused.status, titleIn(refused)]).toEqual([400, INVALID_INVITATION])
    expect((await operator.get('/admin/audit')).document.querySelector('.log li')?.text).toContain(
      'revoked the invitation of revoked@example.com',
    )
    const again = await operator.send('/admin/invite/revoke', { email: 'revoked@example.com' })
    expect(again.document.querySelector('.notice')).toBeNull()
  })

  test('that is invalid has no way to create a link on the server', async () => {
    const page = await service.browser().get('/sign-in/link?token=unknown&invitation=1')
    expect(page.body).toContain('ask the person who invited you')
    expect(page.body).not.toContain('urlmeta user sign-in-link')
  })

  test('does not open an account that was created otherwise in the meantime', async () => {
    const { pathname, search, searchParams } = linkIn(await invite(ANN.email))
    const guest = service.browser()
    await guest.get(pathname + search)
    await service.signedIn(ANN)
    const refused = await guest.send('/sign-in/link', { token: searchParams.get('token')! })
    expect([refused.status, refused.body]).toEqual([400, expect.not.stringContaining(ANN.email)])
    expect((await service.browser().get(pathname + search)).status).toBe(400)
  })

  test.each([
    ['an account that exists', OPERATOR.email, 'op@example.com already has an account'],
    ['no address', 'jo', 'Enter an email address such as jo@example.com'],
  ])('is refused for %s', async (_, email, message) => {
    const page = await invite(email)
    expect([page.status, page.document.querySelector('#email-error')?.text]).toEqual([400, message])
  })

  test.each(['/admin/invite', '/admin/invite/revoke'])(
    'POST %s changes nothing if it cannot be recorded',
    async (path) => {
      const email = 'unrecorded@example.com'
      const link = linkIn(await invite(email))
      using database = new Database(join(service.app.dataDir, 'urlmeta.db'))
      database.run(`CREATE TRIGGER full BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'disk is full'); END`)
      const page = await operator.send(path, { email })
      database.run('DROP TRIGGER full')
      expect(page.status).toBe(500)
      expect((await service.browser().get(link.pathname + link.search)).status).toBe(200)
    },
  )

  test.each(['/admin/invite', '/admin/invite/revoke'])('POST %s is for operators only', async (path) => {
    const jo = await service.signedIn(JO)
    await jo.get('/account')
    expect((await jo.send(path, { email: 'x@example.com' })).status).toBe(403)
    expect((await jo.get('/admin/invite')).status).toBe(403)
  })
})

test('users are sorted by their requests of the month, also in a search', async () => {
  const jo = await service.signedIn(JO)
  await jo.get('/keys')
  const key = newKeyIn(await jo.send('/keys', { name: 'k' }))!
  expect((await service.app.metadata(key, '/')).status).toBe(200)
  await service.signedIn(ANN)
  const all = emailsIn(await operator.get('/admin?sort=usage'))
  expect(all[0]).toBe(JO.email)
  expect(all.toSorted()).toEqual(emailsIn(await operator.get('/admin')).toSorted())
  expect(emailsIn(await operator.get('/admin?sort=usage&q=example.com'))[0]).toBe(JO.email)
  expect(emailsIn(await operator.get('/admin?sort=usage&q=ann'))).toEqual([ANN.email])
})

test('users are filtered by plan and status, also when sorted', async () => {
  const ann = await service.signedIn(ANN)
  await ann.get('/account')
  const path = (await operator.get(`/admin?q=${ANN.email}`)).document.querySelector('tbody th a')!.getAttribute('href')!
  await operator.send(`${path}/plan`, { plan: 'growth' })
  await operator.send(`${path}/suspend`)
  for (const sort of ['', '&sort=usage']) {
    const found = async (query: string) => emailsIn(await operator.get(`/admin?${query}${sort}`))
    expect(await found('plan=growth')).toEqual([ANN.email])
    expect(await found('status=suspended')).toEqual([ANN.email])
    expect(await found('plan=growth&status=active')).toEqual([])
    expect(await found('status=active')).not.toContain(ANN.email)
    expect(await found('plan=unknown&status=unknown')).toContain(ANN.email)
  }
  const page = await operator.get('/admin?plan=growth&status=suspended')
  const selected = page.document.querySelectorAll('option[selected]').map((option) => option.getAttribute('value'))
  expect(selected).toEqual(['growth', 'suspended', 'newest'])
  await operator.send(`${path}/resume`)
})

test('an address in the audit log leads to its user, also of an invitation that was accepted since', async () => {
  const email = 'followed+1@example.com'
  const { pathname, search, searchParams } = linkIn(await invite(email))
  const guest = service.browser()
  await guest.get(pathname + search)
  await guest.send('/sign-in/link', { token: searchParams.get('token')!, invitation: '1' })
  const links = (await operator.get('/admin/audit')).document.querySelectorAll('.log a')
  const found = await operator.get(links.find(({ text }) => text.trim() === email)!.getAttribute('href')!)
  expect(emailsIn(found)).toEqual([email])
  const own = await operator.get(found.document.querySelector('a[href^="/admin/users/"]')!.getAttribute('href')!)
  expect(own.document.querySelectorAll('.log a')).toEqual([])
})

test('health shows requests per day of all users, and failures by status of the site', async () => {
  const jo = await service.signedIn(JO)
  await jo.get('/keys')
  const key = newKeyIn(await jo.send('/keys', { name: 'k2' }))!
  for (const status of ['404', '404', '500']) expect((await service.app.metadata(key, `/${status}`)).status).toBe(502)
  const { document } = await operator.get('/admin/health')
  const reasons = cellsIn(document.querySelectorAll('.bars tbody tr'))
  expect(reasons).toEqual([
    ['HTTP 404', '2'],
    ['HTTP 500', '1'],
  ])
  expect(document.querySelector('.chart svg')?.getAttribute('aria-label')).toContain('3 failed')
})

test('settings shows the configuration in effect with masked secrets', async () => {
  const { document, body } = await operator.get('/admin/settings')
  const rows = cellsIn(document.querySelectorAll('.settings tbody tr'))
  expect(rows).toContainEqual(['URLMETA_METRICS_TOKEN', '••••', 'Set'])
  expect(rows).toContainEqual(['URLMETA_FETCH_CONCURRENCY', '256', 'default'])
  expect(body).not.toContain('a-secret-token-of-the-tests')
})

test('settings are in groups, each with a link to a document that exists, and those that are set come first', async () => {
  const { document } = await operator.get('/admin/settings')
  const namesIn = (part: HTMLElement) => cellsIn(part.querySelectorAll('.settings tbody tr')).map(([name]) => name)
  const groups = document.querySelectorAll('main section')
  expect(groups.find((group) => group.querySelector('h2')?.text === 'Address')).toBeDefined()
  for (const group of groups) {
    const sources = cellsIn(group.querySelectorAll('.settings tbody tr')).map((cells) => cells.at(-1))
    expect(sources).toEqual(sources.toSorted((a, b) => Number(b === 'Set') - Number(a === 'Set')))
    const [path, anchor] = group.querySelector('a')!.getAttribute('href')!.split('#')
    const page = await operator.get(path!)
    expect([path, page.status, anchor === undefined || page.document.getElementById(anchor) !== null]).toEqual([
      path,
      200,
      true,
    ])
  }
  const parsed = parseConfig({ URLMETA_OIDC_STAFF_ISSUER: '' })
  if ('errors' in parsed) throw new Error()
  const known = [...parsed.variables.map(({ name }) => name), 'URLMETA_OIDC_STAFF_LABEL']
  expect(known.filter((name) => !namesIn(document).includes(name))).toEqual([])
  const changed = (await operator.get('/admin/settings?changed=only')).document
  expect(new Set(namesIn(document)).size).toBe(namesIn(document).length)
  const all = cellsIn(document.querySelectorAll('.settings tbody tr'))
  const set = all.filter((cells) => cells.at(-1) === 'Set').map(([name]) => name)
  expect(namesIn(changed)).toEqual(set)
  expect([changed.querySelectorAll('main section').length < groups.length, namesIn(changed).length]).toEqual([
    true,
    set.length,
  ])
})

describe('a request of a user', () => {
  /** Sends a request with a new key, and waits until it is in the log. */
  async function sent(person: Person, path: string, logsUrls = false) {
    const user = await service.signedIn(person)
    if (logsUrls) {
      await user.get('/usage/requests')
      await user.send('/usage/requests/urls', { log: 'true' })
    }
    await user.get('/keys')
    const key = newKeyIn(await user.send('/keys', { name: 'shop' }))!
    const response = await service.app.metadata(key, path)
    const id = response.headers.get('x-request-id')!
    const page = `/admin/requests?id=${id}`
    while ((await operator.get(page)).document.querySelector('dl') === null) await Bun.sleep(10)
    return { user, key, id, page: operator.page }
  }
  const valuesIn = ({ document }: Visited) =>
    Object.fromEntries(
      document
        .querySelectorAll('dl.details > div')
        .map((row) => [row.querySelector('dt')!.text, row.querySelector('dd')!.text.replaceAll(/\s+/g, ' ').trim()]),
    )

  test('is found by its id, with its user, key and result, but without its URL', async () => {
    const { email } = ANN
    const { user, key, id, page } = await sent(ANN, '/404')
    expect(valuesIn(page)).toMatchObject({
      User: email,
      Key: `shop …${key.slice(-4)}`,
      Result: 'HTTP 404',
      URL: 'not logged',
    })
    expect(page.document.querySelector('.callout-title')?.text).toBe('Failed: HTTP 404')
    expect(page.body).not.toContain('127.0.0.1')
    const links = page.document.querySelectorAll('dl.details a').map((link) => link.getAttribute('href')!)
    for (const link of links) expect(link).toStartWith('/admin/users/')
    const owner = await operator.get(links[0]!)
    expect(owner.document.querySelector('h1')?.text.trim()).toBe(email)
    expect(owner.document.querySelector('.chart svg')?.getAttribute('aria-label')).toContain('1 failed')
    expect((await user.get(`/admin/requests?id=${id}`)).status).toBe(403)
  })

  test('is shown with its URL if the user logs URLs', async () => {
    const { page } = await sent(SCRIPTED, '/404?q=1', true)
    expect(valuesIn(page)['URL']).toBe(`${new URL(service.app.origin).host}/404`)
  })

  test.each(['unknown', '..', '<script>', 'x'.repeat(5_000)])('is not found by the id %s', async (id) => {
    const page = await operator.get(`/admin/requests?${new URLSearchParams({ id })}`)
    expect([page.status, page.document.querySelector('#id-error')?.text]).toEqual([
      200,
      'No request with this ID in the log of any user.',
    ])
  })
})

test('each page that the navigation links to is the current one there', async () => {
  const linksIn = ({ document }: Visited, which = '') =>
    document.querySelectorAll(`header nav a${which}, .tabs a${which}`).map((link) => link.getAttribute('href')!)
  const paths = linksIn(await operator.get('/admin'))
  expect(paths).toEqual(expect.arrayContaining(['/', '/keys', '/docs', '/admin/settings']))
  for (const path of paths) {
    expect(linksIn(await operator.get(path), '[aria-current=page]').at(-1)).toBe(path)
  }
})
