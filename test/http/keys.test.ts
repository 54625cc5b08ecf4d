import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { ALLOW_LIST_NAMES, type AllowLists, KEY_SETTINGS, notAllowed } from '../../src/core/accounts/key-settings.ts'
import { DAY_MS } from '../../src/core/duration.ts'
import { dayOf } from '../../src/core/period.ts'
import { ANN, JO } from '../identity/people.ts'
import type { Browser } from './browser.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'
import { until } from '../site.ts'
import { fieldIn, keyIdsIn, newKeyIn } from './page-parts.ts'

let service: SignInApp
beforeAll(async () => {
  service = await startSignInApp({
    env: {
      URLMETA_PLAN_FREE_PER_MINUTE: '1000',
      URLMETA_PLAN_FREE_PER_MONTH: '100000',
      URLMETA_PLAN_FREE_KEYS: '20',
      // Requests of the API with another address than the peer's.
      URLMETA_TRUSTED_PROXIES: '127.0.0.1, ::1',
    },
    origin: ({ url }) => new Response('<title>T</title>', { status: url.endsWith('/gone') ? 404 : 200 }),
  })
})
afterAll(() => service[Symbol.asyncDispose]())

/** Requests the API from a client address. */
async function request(key: string, { url = `${service.app.origin}/`, client = '192.0.2.7' } = {}) {
  const response = await fetch(`${service.app.url}/v1/metadata?url=${encodeURIComponent(url)}`, {
    headers: { 'x-api-key': key, 'x-forwarded-for': client },
  })
  return {
    status: response.status,
    error: ((await response.json()) as { error?: string }).error,
    headers: response.headers,
  }
}

/** Creates a key with these fields in the dashboard. */
async function createKey(browser: Browser, fields: Record<string, string> = {}) {
  await browser.get('/keys')
  const page = await browser.send('/keys', { name: 'a key', ...fields })
  expect(page.status).toBe(200)
  return { key: newKeyIn(page)!, id: keyIdsIn(page)[0]! }
}

/** Changes rows as if time had passed. */
function execute(sql: string, ...parameters: (string | number)[]) {
  using database = new Database(join(service.app.dataDir, 'urlmeta.db'))
  database.query(sql).run(...parameters)
}

test('no key is created or replaced while its page cannot be shown', async () => {
  const browser = await service.signedIn(ANN)
  const { key, id } = await createKey(browser)
  const before = keyIdsIn(await browser.get('/keys'))
  execute('ALTER TABLE daily_usage RENAME TO unreadable')
  const page = browser.page
  for (const [path, fields] of [
    ['/keys', { name: 'lost' }],
    [`/keys/${id}/rotate`, { overlap: '0' }],
  ] as const) {
    browser.page = page
    expect((await browser.send(path, fields)).status).toBe(500)
  }
  execute('ALTER TABLE unreadable RENAME TO daily_usage')
  expect(keyIdsIn(await browser.get('/keys'))).toEqual(before)
  expect((await request(key)).status).toBe(200)
})

/** An entry of each list that does not allow the requests of `request`. */
const OTHER_ENTRY: Record<keyof AllowLists, string> = {
  allowedHosts: 'example.com',
  allowedAddresses: '198.51.100.7',
  allowedOrigins: 'https://app.example',
}

describe.each(ALLOW_LIST_NAMES)('the list %s', (list) => {
  const { field, label } = KEY_SETTINGS[list]
  const { message } = notAllowed(list)

  test('refuses a request that it does not allow', async () => {
    const browser = await service.signedIn(ANN)
    const { key, id } = await createKey(browser, { [field]: OTHER_ENTRY[list] })
    expect(await request(key)).toMatchObject({ status: 403, error: message })
    await browser.send(`/keys/${id}/deactivate`)
  })

  test('is in docs/dashboard.md and docs/api.md', async () => {
    const [dashboard, api] = await Promise.all(
      ['dashboard', 'api'].map((page) => Bun.file(join(import.meta.dir, `../../docs/${page}.md`)).text()),
    )
    for (const text of [`**${label}**`, `\`--${field} `, message]) expect(dashboard).toContain(text)
    expect(api).toContain(message)
  })
})

describe('the restrictions of a key', () => {
  test.each([
    ['a host that is not listed', { hosts: 'example.com' }, {}, 403, 'Host not allowed for this key'],
    ['a listed host', { hosts: 'example.com 127.0.0.1' }, {}, 200, undefined],
    [
      'an invalid URL is reported before its host',
      { hosts: 'example.com' },
      { url: 'x' },
      400,
      'Invalid URL: must start with http:// or https://',
    ],
    [
      'a client address that is not listed',
      { addresses: '198.51.100.0/24' },
      {},
      403,
      'Client address not allowed for this key',
    ],
    ['a listed client address, behind a trusted proxy', { addresses: '192.0.2.0/24' }, {}, 200, undefined],
    [
      'a client address is checked before parameters',
      { addresses: '198.51.100.7' },
      { url: 'x' },
      403,
      'Client address not allowed for this key',
    ],
    ['an IPv6 client', { addresses: '2001:db8::/32' }, { client: '2001:db8::1' }, 200, undefined],
    [
      'a client whose proxy is listed, but wrote no address',
      { addresses: '127.0.0.1, ::1' },
      { client: '192.0.2.7, unknown' },
      403,
      'Client address not allowed for this key',
    ],
    ['a client whose proxy wrote no address, without a list', {}, { client: 'unknown' }, 200, undefined],
    [
      'a client that forges the header in front of its proxy',
      { addresses: '198.51.100.7' },
      { client: '198.51.100.7, 192.0.2.7' },
      403,
      'Client address not allowed for this key',
    ],
  ])('%s', async (_, fields, from, status, error) => {
    const browser = await service.signedIn(JO)
    const { key } = await createKey(browser, fields)
    const response = await request(key, from)
    expect([response.status, response.error]).toEqual([status, error])
    // Refused before the limits are counted, so their headers are absent.
    expect(response.headers.has('x-ratelimit-limit')).toBe(status === 200)
    await browser.send(`/keys/${keyIdsIn(browser.page)[0]}/deactivate`)
  })

  test('a refused request counts against no limit', async () => {
    await using small = await startSignInApp({ env: { URLMETA_PLAN_FREE_PER_MINUTE: '1' } })
    const browser = await small.signedIn(JO)
    await browser.get('/keys')
    const key = newKeyIn(await browser.send('/keys', { name: 'a key', hosts: 'example.com' }))!
    for (let n = 0; n < 5; n++) expect((await small.app.metadata(key, '/')).status).toBe(403)
    expect((await browser.get('/usage')).body).toContain('No requests in the last 30 days')
    expect(await small.app.logged({ outcome: 'host_not_allowed' })).toMatchObject({
      status: 403,
      route: '/v1/metadata',
    })
  })

  test('changes apply from the next request on, and the form shows them', async () => {
    const browser = await service.signedIn(JO)
    const { key, id } = await createKey(browser)
    expect((await request(key)).status).toBe(200)
    await browser.get(`/keys/${id}`)
    await browser.send(`/keys/${id}`, { name: 'renamed', expires_in: 'date', expires: '2999-12-31' })
    const lists = { hosts: '*.Example.com', addresses: '192.0.2.7' }
    const saved = await browser.send(`/keys/${id}/restrictions`, lists)
    // Each group is saved without changing the other.
    expect([saved.status, saved.url.pathname]).toEqual([200, `/keys/${id}`])
    expect(saved.document.querySelector('h1')?.text).toBe('renamed')
    expect(saved.document.querySelector('input[name="expires"]')?.getAttribute('value')).toBe('2999-12-31')
    expect(saved.document.querySelectorAll('textarea').map((area) => area.text)).toEqual([
      '*.example.com',
      '192.0.2.7',
      '',
    ])
    expect((await request(key)).error).toBe('Host not allowed for this key')
    expect((await request(key, { client: '192.0.2.8' })).error).toBe('Client address not allowed for this key')
    await browser.send(`/keys/${id}/restrictions`)
    expect((await request(key, { client: '192.0.2.8' })).status).toBe(200)
    const never = await browser.send(`/keys/${id}`, { name: 'renamed', expires_in: 'never', expires: '2999-12-31' })
    expect(never.document.querySelector('.group summary')?.text).toContain('no expiry')
  })

  test.each([
    ['name', { name: '' }, "A key's name must have 1 to 100 characters"],
    ['expires', { expires: '2020-01-01' }, 'The expiry date must not be in the past'],
    ['expires', { expires_in: 'date' }, 'The expiry date must be a date such as 2027-01-31'],
    [
      'hosts',
      { hosts: 'https://example.com' },
      'Expected a host such as example.com or *.example.com, got "https://example.com"',
    ],
    [
      'addresses',
      { addresses: '10.0.0.0/99' },
      'Expected an IP address or a range such as 10.0.0.0/8, got "10.0.0.0/99"',
    ],
  ])('an invalid field is explained at the field: %s', async (field, fields, message) => {
    const browser = await service.signedIn(ANN)
    const { id } = await createKey(browser)
    const ofGroup = field === 'hosts' || field === 'addresses' ? `/keys/${id}/restrictions` : `/keys/${id}`
    for (const path of ['/keys', ofGroup]) {
      await browser.get('/keys')
      const page = await browser.send(path, { name: 'a key', ...fields })
      expect([path, page.status, page.document.querySelector(`#${field}-error`)?.text.trim()]).toEqual([
        path,
        400,
        message,
      ])
    }
    await browser.send(`/keys/${id}/deactivate`)
  })
})

describe('the expiry of a key', () => {
  test.each([
    ['on the day of a choice, whatever the date', { expires_in: '2998-01-31', expires: '2999-12-31' }, '2998-01-31'],
    ['never, whatever the date', { expires_in: 'never', expires: '2999-12-31' }, ''],
    ['on a date, for a form without the choice', { expires: '2999-12-31' }, '2999-12-31'],
    ['on a date', { expires_in: 'date', expires: '2999-12-31' }, '2999-12-31'],
  ])('%s', async (_, fields, expected) => {
    const browser = await service.signedIn(ANN)
    const { id } = await createKey(browser, fields)
    const { document } = await browser.get(`/keys/${id}`)
    expect(document.querySelector('input[name="expires"]')?.getAttribute('value')).toBe(expected)
    await browser.send(`/keys/${id}/deactivate`)
  })

  test('is kept when the form of the key is saved, also on the day of a choice', async () => {
    const browser = await service.signedIn(ANN)
    await browser.get('/keys')
    const choice = () => browser.page.document.querySelector('select[name=expires_in] option[selected]')
    const days = browser.page.document.querySelectorAll('select[name=expires_in] option')
    const week = days[1]!.getAttribute('value')!
    const { id } = await createKey(browser, { expires_in: week })
    await browser.get(`/keys/${id}`)
    expect(choice()?.getAttribute('value')).toBe(week)
    await browser.send(`/keys/${id}`, { name: 'renamed', expires_in: week })
    expect(fieldIn(await browser.get(`/keys/${id}`), 'expires')).toBe(week)
    await browser.send(`/keys/${id}/deactivate`)
  })

  test('is announced a week before, on the page of the key and on the overview', async () => {
    const browser = await service.signedIn(ANN)
    const { id } = await createKey(browser)
    const noticesOn = async (path: string) =>
      (await browser.get(path)).document.querySelectorAll('.callout.warn').map(({ text }) => text)
    expect([...(await noticesOn(`/keys/${id}`)), ...(await noticesOn('/'))]).toEqual([])
    execute('UPDATE api_keys SET expires_at = ? WHERE id = ?', Date.now() + 7 * DAY_MS, id)
    expect(await noticesOn('/')).toEqual([expect.stringMatching(/a key .* expires on \d/)])
    expect(await noticesOn(`/keys/${id}`)).toEqual([expect.stringContaining('This key expires on')])
    expect(browser.page.document.querySelector('.group[open] summary')?.text).toContain('Rotate')
    await browser.send(`/keys/${id}/deactivate`)
    expect(await noticesOn('/')).toEqual([])
  })

  test('an expired key is refused like an unknown one, shown as expired, and final', async () => {
    const browser = await service.signedIn(JO)
    const { key, id } = await createKey(browser, { expires: '2999-12-31' })
    expect((await request(key)).status).toBe(200)
    execute('UPDATE api_keys SET expires_at = ? WHERE id = ?', Date.now() - 1, id)
    expect(await request(key)).toMatchObject({ status: 401, error: 'Invalid API key' })
    expect((await browser.get('/keys')).document.querySelector('tr.off')?.text).toContain('Expired')
    const page = await browser.get(`/keys/${id}`)
    const actions = page.document.querySelectorAll('main form').map((form) => form.getAttribute('action'))
    expect(actions).toEqual([`/keys/${id}/rotate`])
    await browser.get('/account')
    const refused = await browser.send(`/keys/${id}`, { name: 'again' })
    expect([refused.status, refused.body]).toEqual([409, expect.stringContaining('deactivated or has expired')])
  })

  test('a key that expires while it is cached is refused at that moment', async () => {
    const browser = await service.signedIn(JO)
    const { key, id } = await createKey(browser)
    execute('UPDATE api_keys SET expires_at = ? WHERE id = ?', Date.now() + 300, id)
    // Caches the key with its expiry; nothing is written afterwards.
    await request(key)
    await until(async () => (await request(key)).status === 401)
    expect(await request(key)).toMatchObject({ status: 401, error: 'Invalid API key' })
  })
})

describe('rotation', () => {
  test('both keys work during the overlap, and the old one expires', async () => {
    const browser = await service.signedIn(JO)
    const { key, id } = await createKey(browser, { hosts: '127.0.0.1' })
    await browser.get(`/keys/${id}`)
    const rotated = await browser.send(`/keys/${id}/rotate`, { overlap: '1h' })
    const next = newKeyIn(rotated)!
    expect(rotated.status).toBe(200)
    expect(next).toMatch(/^urlmeta_live_[0-9a-f]{32}$/)
    expect(next).not.toBe(key)
    for (const either of [key, next]) expect((await request(either)).status).toBe(200)
    expect((await request(next, { url: 'http://example.com/' })).status).toBe(403)

    // During the overlap the old key is listed, and does not count against the plan's maximum.
    const listed = await browser.get('/keys')
    const isCounted = (text: string | undefined) => text?.includes(`${keyIdsIn(listed).length - 1} of 20 active keys`)
    expect(isCounted(listed.document.querySelector('#name-hint')?.text)).toBe(true)
    const overview = await browser.get('/')
    expect(isCounted(overview.document.querySelector('[aria-labelledby="keys"]')?.text)).toBe(true)
    await browser.get(`/keys/${id}`)

    // Reloading the response submits the form again.
    const again = await browser.send(`/keys/${id}/rotate`, { overlap: '1h' })
    expect([again.status, again.body]).toEqual([409, expect.stringContaining('already been rotated')])
    expect(newKeyIn(again)).toBeNull()
    expect((await browser.get(`/keys/${id}`)).document.querySelector('.callout a')?.text).toContain(next.slice(-4))

    execute('UPDATE api_keys SET expires_at = ? WHERE id = ?', Date.now() - 1, id)
    expect((await request(key)).status).toBe(401)
    expect((await request(next)).status).toBe(200)
  })

  test('without an overlap the old key stops with the next request', async () => {
    const browser = await service.signedIn(JO)
    const { key, id } = await createKey(browser)
    await browser.get(`/keys/${id}`)
    const rotated = await browser.send(`/keys/${id}/rotate`, { overlap: '0' })
    const callout = rotated.document.querySelector('.callout')!
    expect(callout.text).toMatch(/This key\s+was rotated and worked until \d+ \w+ \d{4}, [\d:]+ UTC\s*\.\s+Replaced by/)
    expect(rotated.document.querySelector('.badge')?.text).toBe('Replaced')
    const next = newKeyIn(rotated)!
    expect([(await request(key)).status, (await request(next)).status]).toEqual([401, 200])
    const ofNext = await browser.get(callout.querySelector('a')!.getAttribute('href')!)
    expect(ofNext.document.querySelector('main')?.text).toContain(`…${next.slice(-4)}`)
  })

  test.each([
    ['an overlap that is not offered', 'JO', { overlap: '1y' }, 400],
    ["another user's key", 'ANN', { overlap: '0' }, 404],
  ])('%s', async (_, person, fields, status) => {
    const owner = await service.signedIn(JO)
    const { key, id } = await createKey(owner)
    const browser = person === 'JO' ? owner : await service.signedIn(ANN)
    await browser.get('/account')
    expect((await browser.send(`/keys/${id}/rotate`, fields)).status).toBe(status)
    if (person === 'ANN') {
      expect((await browser.get(`/keys/${id}`)).status).toBe(404)
      await browser.get('/account')
      expect((await browser.send(`/keys/${id}`, { name: 'taken' })).status).toBe(404)
    }
    expect((await request(key)).status).toBe(200)
    await owner.get('/keys')
    await owner.send(`/keys/${id}/deactivate`)
  })
})

test('the page of a key shows what happened with it alone', async () => {
  const browser = await service.signedIn(ANN)
  const { key, id } = await createKey(browser)
  const other = await createKey(browser)
  const shown = async () => {
    const { document } = await browser.get(`/keys/${id}`)
    const rows = document.querySelectorAll('[aria-labelledby="latest"] li').map((row) => row.text)
    return { document, rows }
  }
  expect((await shown()).document.querySelectorAll('.empty')).toHaveLength(2)
  for (let n = 0; n < 11; n++) await request(key, { url: `${service.app.origin}/own` })
  expect((await request(key, { url: `${service.app.origin}/gone` })).status).toBe(502)
  await request(other.key)
  const deadlineMs = performance.now() + 10_000
  let page = await shown()
  while (!page.rows[0]?.includes('HTTP 404') && performance.now() < deadlineMs) {
    await Bun.sleep(20)
    page = await shown()
  }
  expect(page.rows).toHaveLength(10)
  expect(page.rows[1]).toMatch(/200.*cached/s)
  const figures = page.document.querySelectorAll('.stats dd').map(({ text }) => text)
  expect(figures).toEqual(['11', '91%', '1'])
  expect(page.document.querySelector('.bars a')?.getAttribute('href')).toContain(`key=${id}&result=http_status+404`)

  const dayMs = (daysAgo: number) => dayOf(Date.now() - daysAgo * DAY_MS)
  execute('UPDATE daily_usage SET day = ? WHERE key_id = ?', dayMs(7), id)
  const compared = async (days: string) =>
    (await browser.get(`/usage?days=${days}&key=${id}`)).document.querySelector('.stats + .hint')?.text
  expect(await compared('7')).toBe('The 7 days before: 11 successful (now −100%), 91% from cache, 1 failed.')
  expect(await compared('30')).toBe('The 30 days before: 0 successful, 0% from cache, 0 failed.')
  execute('INSERT INTO monthly_usage SELECT user_id, ?, 22 FROM api_keys WHERE id = ?', dayMs(400).slice(0, 7), id)
  expect(await compared('365')).toBeUndefined()
  const year = await browser.get('/usage?days=365')
  expect(year.document.querySelector('.stats + .hint')?.text).toStartWith('The 12 months before: 22 successful (now ')
  expect(await compared('8')).toStartWith('The 30 days before')
  for (const one of [id, other.id]) await browser.send(`/keys/${one}/deactivate`)
})
