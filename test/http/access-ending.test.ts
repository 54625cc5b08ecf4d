import { afterAll, beforeAll, describe, expect, setDefaultTimeout, setSystemTime, test } from 'bun:test'

import { ACCESS_ENDING } from '../../src/http/session/access-ending.ts'
import { isApiPath } from '../../src/http/server/request-path.ts'
import { JO, OPERATOR } from '../identity/people.ts'
import { PATIENT_TEST_MS } from '../patience.ts'
import type { Browser } from './browser.ts'
import { fieldIn } from './page-parts.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'

setDefaultTimeout(PATIENT_TEST_MS)

/** The other forms. A new form is in one of the two lists: it ends access, or it counts as a page. */
const COUNTED = [
  '/account/alerts',
  '/account/alerts/test',
  '/admin/health/backup',
  '/admin/invite',
  '/admin/users/:id/limits',
  '/admin/users/:id/plan',
  '/admin/users/:id/resume',
  '/keys',
  '/keys/:id',
  '/keys/:id/restrictions',
  '/playground',
  '/playground/results/:id/share',
  '/playground/results/:id/tags',
  '/usage/requests/urls',
]

const PAGES_PER_MINUTE = 300

/** Deletes the account, so it is the last one. */
const LAST = '/account/delete'
const ACTIONS = [
  ...ACCESS_ENDING.filter(([action]) => action !== LAST),
  ...ACCESS_ENDING.filter(([action]) => action === LAST),
]

/** The fields that users fill in or choose. */
const FIELDS: Record<string, Record<string, string>> = {
  '/account/delete': { confirm: OPERATOR.email },
  '/keys/:id/rotate': { overlap: '0' },
}

let service: SignInApp
/** A session of the operator, who has reached the limit of pages. */
let thief: Browser
const ids = { user: '', key: '' }

const pathOf = (pattern: string) =>
  pattern.replace(/^\/admin\/users\/:id/, `/admin/users/${ids.user}`).replace(':id', ids.key)

/** Matches the paths of a route. */
const matching = (pattern: string) => new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`)

beforeAll(async () => {
  // All requests are in the same minute, because this stops the clock.
  setSystemTime(new Date())
  service = await startSignInApp()
  await service.signedIn(JO)
  await service.app.createKey(JO.email)
  await service.signedIn(OPERATOR, 'google')
  thief = await service.signedIn(OPERATOR)
  for (const name of ['one', 'two']) {
    await thief.get('/keys')
    await thief.send('/keys', { name })
  }
  await thief.get('/account')
  await thief.send('/account/alerts', { url: `${service.app.origin}/hook` })
  await thief.get('/admin/invite')
  await thief.send('/admin/invite', { email: 'new@example.com' })
  const result = await service.play(thief, '/page')
  await thief.send(`${result.url.pathname}/share`)
  const users = await service.app.accounts.listUsers()
  ids.user = users.find(({ email }) => email === JO.email)!.id
  const keys = await service.app.accounts.listKeys()
  ids.key = keys.find(({ email }) => email === OPERATOR.email)!.id
  const page = () => thief.request(`${service.base}/usage/requests.csv`)
  for (let sent = 0; sent < PAGES_PER_MINUTE; sent += 50) await Promise.all(Array.from({ length: 50 }, page))
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  setSystemTime()
})

test('every form either ends access or counts as a page', () => {
  const forms = service.app.routes
    .filter(({ method, path }) => method === 'POST' && !isApiPath(path) && path !== '/sign-in/link')
    .map(({ path }) => path)
  expect(forms.toSorted()).toEqual([...COUNTED, ...ACCESS_ENDING.map(([action]) => action)].toSorted())
})

describe('a user whose pages of the minute were used up', () => {
  test.each(COUNTED)('cannot send the form %s', async (pattern) => {
    expect((await thief.send(service.base + pathOf(pattern))).status).toBe(429)
  })

  test.each(['/', '/usage', '/usage/requests', '/account/export', '/admin', '/admin/health'])(
    'cannot open %s, but sign out there',
    async (path) => {
      const { status, document } = await thief.get(service.base + path)
      expect([status, document.querySelectorAll('form[action="/sign-out"]').length]).toEqual([429, 1])
    },
  )

  test.each(ACTIONS)('can use %s on %s', async (action, page) => {
    const browser = await service.signedIn(OPERATOR)
    // Another session, which can be ended.
    await service.signedIn(OPERATOR)
    for (const path of [pathOf(page), `${pathOf(page)}/`]) expect((await browser.get(path)).status).toBe(200)
    const forms = browser.page.document.querySelectorAll('form[method="post"]')
    const form = forms.find((candidate) => matching(action).test(candidate.getAttribute('action')!))!
    const fields = form
      .querySelectorAll('input[name]')
      .map((input) => [input.getAttribute('name')!, input.getAttribute('value') ?? ''])
    const sent = await browser.send(form.getAttribute('action')!, {
      ...Object.fromEntries(fields),
      ...FIELDS[action],
      csrf: fieldIn(browser.page, 'csrf'),
    })
    expect([sent.status, sent.document.querySelectorAll('.notice.good, .created').length]).toEqual([200, 1])
  })
})
