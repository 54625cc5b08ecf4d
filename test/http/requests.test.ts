import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'

import { dayOf } from '../../src/core/period.ts'
import { HOUR_MS } from '../../src/core/duration.ts'
import { REQUEST_LOG_RETENTION_MS } from '../../src/core/lifetimes.ts'
import { withinMinute } from '../clock-minute.ts'
import { ANN, JO } from '../identity/people.ts'
import type { Browser, Visited } from './browser.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'
import { keyIdsIn, newKeyIn } from './page-parts.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const CONSENT = `<title>Before you continue</title><form action="/c"><p>We use cookies and data</p>
<button>Accept all</button></form>`

let service: SignInApp
beforeAll(async () => {
  service = await startSignInApp({
    env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000', URLMETA_PLAN_FREE_KEYS: '50' },
    origin(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/wall') return new Response(CONSENT, { headers: { 'content-type': 'text/html' } })
      return new Response('<title>T</title>', { status: pathname.startsWith('/gone') ? 404 : 200 })
    },
  })
})
afterAll(() => service[Symbol.asyncDispose]())

async function createKey(browser: Browser, name: string): Promise<{ key: string; id: string }> {
  await browser.get('/keys')
  const key = newKeyIn(await browser.send('/keys', { name }))!
  const link = browser.page.document.querySelectorAll('tbody th a').find(({ text }) => text === name)!
  return { key, id: link.getAttribute('href')!.split('/').at(-1)! }
}

/** The results on the page, newest first. */
const resultsIn = ({ document }: Visited) =>
  document.querySelectorAll('.requests > li').map((row) => row.querySelector('.result')?.text ?? 'ok')

/** Reloads the page until it shows this many requests, which are written once per second. */
async function untilLogged(browser: Browser, path: string, count: number): Promise<Visited> {
  const deadlineMs = performance.now() + 10_000
  for (;;) {
    const page = await browser.get(path)
    if (resultsIn(page).length >= count || performance.now() > deadlineMs) return page
    await Bun.sleep(200)
  }
}

test('requests are logged by key and result, shown with filters, and exported', async () => {
  // The minute does not end during the test, and so neither does the hour or the day.
  await withinMinute(20)
  const browser = await service.signedIn(JO)
  const { key, id } = await createKey(browser, '=cmd|a,b')
  const other = await createKey(browser, 'other')
  const query = `key=${id}`
  await service.app.metadata(key, '/page')
  await service.app.metadata(key, '/page')
  await service.app.metadata(key, '/gone')
  await service.app.metadata(key, '/page', { timeout: 'soon' })
  await service.app.metadata(other.key, '/page')
  const page = await untilLogged(browser, `/usage/requests?${query}`, 4)
  expect(resultsIn(page)).toEqual(['invalid request', 'HTTP 404', 'ok', 'ok'])
  expect(page.document.querySelector('.parts')?.text).toMatch(
    /^4 requests50% failedfetched in \d+ ms \(p95 \d+ ms\)from cache in <?\d+ ms \(p95 <?\d+ ms\)$/,
  )
  expect(page.document.querySelectorAll('#result option').map(({ text }) => text)).toEqual([
    'All results',
    'Successful',
    'Fetched',
    'From cache',
    'Failed',
    'invalid request (1)',
    'HTTP 404 (1)',
  ])
  // Of a selection, the number of requests it was made from; no share of failures, which is all or nothing.
  const failed = await browser.get(`/usage/requests?${query}&result=failed`)
  expect(failed.document.querySelector('.parts')?.text).toBe('2 of the last 4 requests')
  const filtered = (more: string) => browser.get(`/usage/requests?${query}&${more}`).then(resultsIn)
  expect(await filtered('result=failed')).toEqual(['invalid request', 'HTTP 404'])
  expect(await filtered('result=cached')).toEqual(['ok'])
  expect(await filtered('result=http_status+404')).toEqual(['HTTP 404'])
  const today = dayOf(Date.now())
  expect(await filtered(`day=${today}&result=ok`)).toEqual(['ok', 'ok'])
  expect(browser.page.document.querySelectorAll('#day option')).toHaveLength(9)
  expect(await filtered('day=2026-02-03')).toEqual([])
  expect(await filtered('day=2026-02-30')).toHaveLength(4)
  const chart = await browser.get(`/usage?days=1&${query}`)
  expect(chart.document.querySelectorAll('.stats dd').map(({ text }) => text)).toEqual(['2', '50%', '2'])
  const column = chart.document.querySelectorAll('.plot a').at(-1)!.getAttribute('href')!
  expect(column).toStartWith(`/usage/requests?key=${id}&day=${today}T`)
  expect(resultsIn(await browser.get(column))).toHaveLength(4)
  expect((await browser.get('/usage?days=1&key=playground')).document.querySelector('.plot')).toBeNull()
  expect(await filtered('result=nonsense')).toEqual([])
  expect(browser.page.document.querySelector('.empty')?.text.trim()).toBe(
    'No matching requests. The playground is not logged. Clear filters',
  )
  expect(resultsIn(await untilLogged(browser, '/usage/requests', 5))).toHaveLength(5)
  // URLs are not logged, unless the user enables it.
  expect(page.body).not.toContain('/gone')
  expect(page.body).not.toContain(new URL(service.app.origin).host)

  const csv = await browser.request(`${service.base}/usage/requests.csv?${query}&result=failed`)
  expect(Object.fromEntries(csv.headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="urlmeta-requests.csv"',
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  const [head, ...rows] = (await csv.text()).trimEnd().split('\r\n')
  expect(head).toBe('time,request_id,key_id,key_name,method,status,reason,cache,latency_ms,host,path,format')
  expect(rows).toEqual([
    expect.stringMatching(new RegExp(`^\\d{4}-.*Z,[\\w-]{36},${id},"'=cmd\\|a,b",GET,400,invalid_request,,\\d+,,,$`)),
    expect.stringMatching(/,GET,502,http_status 404,,\d+,,,$/),
  ])
})

test('the filter has the keys that the log may have requests of, and the selected one', async () => {
  const browser = await service.signedIn(JO)
  const [active, recent, old] = [
    await createKey(browser, 'active'),
    await createKey(browser, 'recent'),
    await createKey(browser, 'old'),
  ]
  using database = new Database(join(service.app.dataDir, 'urlmeta.db'))
  const end = database.query('UPDATE api_keys SET deactivated_at = ? WHERE id = ?')
  end.run(Date.now() - REQUEST_LOG_RETENTION_MS + HOUR_MS, recent.id)
  end.run(Date.now() - REQUEST_LOG_RETENTION_MS - HOUR_MS, old.id)
  const offered = async (path: string) => {
    const { document } = await browser.get(path)
    const ids = document.querySelectorAll('#key option').map((option) => option.getAttribute('value'))
    return [active, recent, old].map(({ id }) => ids.includes(id))
  }
  expect(await offered('/usage/requests')).toEqual([true, true, false])
  expect(await offered(`/usage/requests?key=${active.id}`)).toEqual([true, true, false])
  expect(await offered(`/usage/requests?key=${old.id}`)).toEqual([true, true, true])
})

test('a request has a page, which is found by its id', async () => {
  const browser = await service.signedIn(ANN)
  const { key, id } = await createKey(browser, 'pages')
  await createKey(browser, 'other')
  const idOf = async (path: string, parameters = {}) =>
    (await service.app.metadata(key, path, parameters)).headers.get('x-request-id')!
  const fetched = await idOf('/first')
  const cached = await idOf('/first')
  const failed = await idOf('/gone')
  const invalid = await idOf('/page', { timeout: 'soon' })
  const list = await untilLogged(browser, `/usage/requests?key=${id}`, 4)
  const links = list.document.querySelectorAll('.requests a').map((link) => link.getAttribute('href'))
  expect(links).toContain(`/usage/requests?key=${id}&id=${failed}`)
  // The page has the list with its filter, in which the request is marked.
  const opened = await browser.get(`/usage/requests?key=${id}&id=${failed}`)
  expect(opened.document.querySelectorAll('.requests [aria-current]').map(({ text }) => text.trim())).toEqual([
    'HTTP 404',
  ])
  expect(opened.document.querySelector('#request a')?.getAttribute('href')).toBe(`/usage/requests?key=${id}`)
  const pageOf = async (requestId: string) => {
    const { document } = await browser.get(`/usage/requests?id=${requestId}`)
    const rows = document.querySelectorAll('.details > div').map((row) => row.querySelectorAll('dt, dd'))
    const values = rows.map(([name, value]) => [name!.text, value!.text.replace(/\s+/g, ' ').trim()])
    return {
      values: Object.fromEntries(values) as Record<string, string>,
      failure: document.querySelector('#request .bad p')?.text,
    }
  }
  const first = await pageOf(fetched)
  expect(first).toMatchObject({ failure: undefined, values: { Result: 'ok', Cache: 'fetched', URL: 'not logged' } })
  expect(first.values).toMatchObject({
    Key: expect.stringMatching(/^pages …/),
    Method: 'http The response is not HTML.',
    Phases: expect.stringMatching(/First byte /),
  })
  expect((await pageOf(cached)).values['Cache']).toBe('from cache (memory)')
  expect((await pageOf(cached)).values['Phases']).toBeUndefined()
  expect((await pageOf(failed)).failure).toBe('Failed: HTTP 404')
  expect(browser.page.document.querySelector('.callout.bad')?.text).toContain('The page does not exist.')
  expect((await pageOf(invalid)).failure).toBe('Failed: invalid request')
  const exported = await (await browser.request(`${service.base}/account/export`)).json()
  expect((exported as { requests: object[] }).requests).toContainEqual(
    expect.objectContaining({ id: cached, details: { cacheLayer: 'memory' } }),
  )

  // Nobody else finds it, and ids are never markup or a path.
  const other = await service.signedIn(JO)
  for (const wanted of [failed, '..', '"><b>', 'x'.repeat(5_000)]) {
    const missing = await other.get(`/usage/requests?${new URLSearchParams({ id: wanted })}`)
    expect([missing.status, missing.document.querySelector('.empty')?.text.trim()]).toEqual([
      200,
      'No matching requests. The playground is not logged. Without URL logging, only IDs are found. Clear filters',
    ])
    expect(missing.document.querySelector('[name=q]')?.getAttribute('value')).toBe(wanted)
  }
})

test('requests are found by their ID, host and path', async () => {
  const browser = await service.signedIn(ANN)
  const { key, id } = await createKey(browser, 'search')
  await browser.get('/usage/requests')
  await browser.send('/usage/requests/urls', { log: 'true' })
  const requestId = (await service.app.metadata(key, '/a/one')).headers.get('x-request-id')!
  await service.app.metadata(key, '/a/two')
  await service.app.metadata(key, '/gone/Two')
  await untilLogged(browser, `/usage/requests?key=${id}`, 3)
  const { host, origin } = new URL(service.app.origin)
  const CASES: [text: string, found: string[]][] = [
    ['/a/', ['/a/two', '/a/one']],
    ['two', ['/gone/Two', '/a/two']],
    [host, ['/gone/Two', '/a/two', '/a/one']],
    [` ${origin}/a/one?query=is-not-logged `, ['/a/one']],
    [requestId.slice(0, -1), []],
    ['<b>', []],
  ]
  for (const [q, found] of CASES) {
    const { document } = await browser.get(`/usage/requests?${new URLSearchParams({ key: id, q })}`)
    const urls = document.querySelectorAll('.requests a').map(({ text }) => /\/.*/.exec(text)?.[0].trim())
    expect([q, urls]).toEqual([q, found])
    const csv = await (
      await browser.request(`${service.base}/usage/requests.csv?${new URLSearchParams({ key: id, q })}`)
    ).text()
    expect(csv.trimEnd().split('\r\n')).toHaveLength(found.length + 1)
  }
  // A request that is found by its ID is opened, in the list with the other conditions.
  const opened = await browser.request(
    `${service.base}/usage/requests?${new URLSearchParams({ key: id, q: requestId })}`,
  )
  expect([opened.status, opened.headers.get('location')]).toEqual([303, `/usage/requests?key=${id}&id=${requestId}`])
  expect((await browser.get(`/usage/requests?q=${requestId}&result=failed`)).body).toContain('No matching requests.')
  const other = await service.signedIn(JO)
  expect((await other.get(`/usage/requests?q=${requestId}`)).body).toContain('No matching requests.')
  await browser.get('/usage/requests')
  await browser.send('/usage/requests/urls', { log: 'false' })
})

test('a request in another format is shown with its name', async () => {
  const browser = await service.signedIn(ANN)
  const { key, id } = await createKey(browser, 'format')
  const { url, origin } = service.app
  await fetch(`${url}/compat/editorjs?url=${origin}/page`, { headers: { 'x-api-key': key } })
  const { document } = await untilLogged(browser, `/usage/requests?key=${id}`, 1)
  expect(document.querySelector('.requests > li')!.text.replace(/\s+/g, ' ').trim()).toMatch(/^200 ?ok editorjs/)
  const csv = await (await browser.request(`${service.base}/usage/requests.csv?key=${id}`)).text()
  expect(csv.trimEnd()).toEndWith(',editorjs')
})

test('a failure links to the requests with its reason and its host', async () => {
  const browser = await service.signedIn(ANN)
  const { key, id } = await createKey(browser, 'links')
  await browser.get('/usage/requests')
  await browser.send('/usage/requests/urls', { log: 'true' })
  for (const path of ['/gone', '/page', '/page']) await service.app.metadata(key, path)
  await untilLogged(browser, `/usage/requests?key=${id}`, 3)
  const { host } = new URL(service.app.origin)
  const follow = async (text: string) => {
    const link = browser.page.document.querySelectorAll('main a').find((a) => a.text === text)!
    return resultsIn(await browser.get(link.getAttribute('href')!.replaceAll('&amp;', '&')))
  }
  expect(await follow('33% failed')).toEqual(['HTTP 404'])
  await browser.get(`/usage/requests?key=${id}`)
  expect(await follow(host)).toEqual(['ok', 'ok', 'HTTP 404'])
  expect(browser.page.document.querySelector('[name=q]')?.getAttribute('value')).toBe(host)
  await browser.get(`/keys/${id}`)
  // Latest requests on the page of the key: a failure with its URL too.
  expect(
    browser.page.document.querySelectorAll('.requests a').map(({ text }) => text.replace(/\s+/g, ' ').trim()),
  ).toEqual([`${host}/page`, `${host}/page`, `HTTP 404 ${host}/gone`])
  await browser.send('/usage/requests/urls', { log: 'false' })
})

test('requests that a restriction of their key refuses are logged', async () => {
  const browser = await service.signedIn(JO)
  await browser.get('/keys')
  const key = newKeyIn(await browser.send('/keys', { name: 'restricted', addresses: '192.0.2.7', hosts: 'a.example' }))!
  const id = keyIdsIn(browser.page)[0]!
  await service.app.metadata(key, '/page')
  await fetch(`${service.app.url}/v1/metadata?url=https://b.example`, {
    headers: { 'x-api-key': key, 'x-forwarded-for': '192.0.2.7' },
  })
  const page = await untilLogged(browser, `/usage/requests?key=${id}`, 2)
  expect(resultsIn(page)).toEqual(['host not allowed', 'client not allowed'])
})

test('host and path are logged while the user has enabled it, and deleted when it is disabled', async () => {
  const browser = await service.signedIn(ANN)
  const { key, id } = await createKey(browser, 'ann')
  await browser.get('/usage/requests')
  expect((await browser.send('/usage/requests/urls', { log: 'true' })).body).toContain('are now logged')
  await service.app.metadata(key, '/gone/a?token=secret')
  const page = await untilLogged(browser, `/usage/requests?key=${id}`, 1)
  const { host } = new URL(service.app.origin)
  expect(page.document.querySelector('.requests a')?.text).toContain(`${host}/gone/a`)
  const { document } = await browser.get(
    page.document.querySelector('.requests a')!.getAttribute('href')!.replaceAll('&amp;', '&'),
  )
  expect(document.querySelectorAll('#request .button').map((link) => link.getAttribute('href'))).toContain(
    `/playground?${new URLSearchParams({ url: `https://${host}/gone/a` })}`,
  )
  expect(page.body).not.toContain('secret')
  expect(page.body).toContain('Failures by host')
  const exported = (await (await browser.request(`${service.base}/account/export`)).json()) as { requests: object[] }
  expect(exported.requests[0]).toMatchObject({ host, path: '/gone/a', status: 502 })
  const database = new Database(join(service.app.dataDir, 'urlmeta.db'))
  database.run("CREATE TRIGGER fault BEFORE UPDATE ON request_log BEGIN SELECT RAISE(ABORT, 'fault'); END")
  expect((await browser.send('/usage/requests/urls', { log: 'false' })).status).toBe(500)
  database.run('DROP TRIGGER fault')
  database.close()
  expect((await browser.get('/usage/requests')).body).toContain('Disable URL logging')
  expect((await browser.send('/usage/requests/urls', { log: 'false' })).body).toContain('were deleted')
  expect((await browser.get('/usage/requests')).body).not.toContain(host)
})

test("another user's requests and requests without a valid key are not shown", async () => {
  const browser = await service.signedIn(JO)
  const { key, id } = await createKey(browser, 'private')
  await service.app.metadata(key, '/page')
  expect(resultsIn(await untilLogged(browser, `/usage/requests?key=${id}`, 1))).toHaveLength(1)
  const ann = await service.signedIn(ANN)
  expect(resultsIn(await ann.get(`/usage/requests?key=${id}`))).toEqual([])
  const csv = await (await ann.request(`${service.base}/usage/requests.csv?key=${id}`)).text()
  expect(csv.trimEnd().split('\r\n')).toEqual([expect.stringMatching(/^time,/)])
  expect((await service.browser().request(`${service.base}/usage/requests.csv`)).status).toBe(303)
})

test('a consent page has words of its own in the log and in the playground, and the error of the API', async () => {
  const browser = await service.signedIn(JO)
  const { key, id } = await createKey(browser, 'wall')
  const response = await service.app.metadata(key, '/wall')
  expect([response.status, await response.json()]).toEqual([502, { error: 'Failed to fetch URL: blocked by the site' }])
  const list = await untilLogged(browser, `/usage/requests?key=${id}`, 1)
  expect(resultsIn(list)).toEqual(['consent page (cookie wall)'])
  const { pathname, search } = new URL(list.document.querySelector('.requests a')!.getAttribute('href')!, list.url)
  const { body } = await browser.get(pathname + search)
  expect(body).toContain('Failed: consent page (cookie wall)')
  expect(body).toContain('The site sent a consent page (cookie wall) instead of the page.')
  expect(body).toContain('<dt>Site sent</dt><dd><span>a consent page (cookie wall)</span></dd>')
  const played = await service.play(browser, '/wall')
  expect(played.document.querySelector('.callout.bad')!.text.trim()).toMatch(
    /^502 Failed to fetch URL: consent page \(cookie wall\)The site sent a consent page \(cookie wall\) instead/,
  )
})
