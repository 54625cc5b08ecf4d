import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openReader } from '../src/compose/page-reader.ts'
import { parseConfig } from '../src/config.ts'
import { MIN_HEADLESS_MS } from '../src/core/fetch/method.ts'
import { atMost } from './at-most.ts'
import { budgetOf } from './fetch/budget.ts'
import { startApp, type TestApp } from './http/app.ts'
import { describeChromium, describeEachChromium, isPreferred } from './requirements.ts'
import { typicalCases } from './thorough.ts'
import { ARRIVALS, FRAMEWORKS, LABELS, openShellSite, type ShellSite } from './shells/shell-site.ts'
import { PATIENT_BROWSER_MS, PATIENT_TEST_MS } from './patience.ts'

/** The maximum timeout, so that the result does not depend on the load of the machine. */
const TIMEOUT_MS = 15_000

setDefaultTimeout(PATIENT_TEST_MS)

/** Each takes up to TIMEOUT_MS. */
const MAX_WARM_UPS = 8

/** Repeats a fetch until a page is rendered, so that no case waits for the start of Chromium. */
async function warmUp(read: (attempt: number) => Promise<Response>): Promise<void> {
  const isRendered = async (attempt: number) =>
    ((await (await read(attempt)).json()) as { fetch_method?: string }).fetch_method === 'headless'
  for (let attempt = 0; !(await isRendered(attempt)); attempt++)
    if (attempt === MAX_WARM_UPS) throw new Error('Chromium rendered no page')
}
/** Concurrent cases, more than CPUs, because they mostly wait: a page without metadata gets two seconds. */
const CONCURRENCY = 4

let site: ShellSite
beforeAll(async () => void (site = await openShellSite()), PATIENT_TEST_MS)
afterAll(() => site[Symbol.dispose]())

describeEachChromium('client-rendered shells', (executable) => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startApp({
      env: {
        URLMETA_CHROMIUM: executable,
        URLMETA_HEADLESS_CONCURRENCY: String(CONCURRENCY),
        URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${site.port}`,
        URLMETA_PLAN_FREE_PER_MINUTE: '1000',
      },
    })
    key = await app.createKey()
    await warmUp((attempt) => read(`${site.urlOf(FRAMEWORKS[0]!, ARRIVALS[0]!)}?${attempt}`))
  }, PATIENT_TEST_MS)
  afterAll(() => app[Symbol.asyncDispose]())

  const read = (url: string) =>
    fetch(`${app.url}/v1/metadata?${new URLSearchParams({ url, timeout: String(TIMEOUT_MS) })}`, {
      headers: { 'x-api-key': key },
    })

  // Pages run in the same engine in every kind of Chromium. Only the Chromium that the service would use renders all
  // pairs, by default each framework and each arrival once; another renders these, by default one for each arrival.
  const pairs = FRAMEWORKS.flatMap((framework) => ARRIVALS.map((arrival) => [framework, arrival] as const))
  const diagonal = FRAMEWORKS.map((framework, i) => [framework, ARRIVALS[i % ARRIVALS.length]!] as const)
  const isOnDiagonal = ([framework, arrival]: (typeof pairs)[number]) =>
    diagonal.some((pair) => pair[0] === framework && pair[1] === arrival)
  const shells = isPreferred(executable)
    ? typicalCases(pairs, isOnDiagonal)
    : typicalCases(diagonal, (_, i) => i < ARRIVALS.length)
  const inTurn = atMost(CONCURRENCY)
  test.concurrent.each(shells)('%s, metadata %s', async (framework, arrival) => {
    const response = await inTurn(() => read(site.urlOf(framework, arrival)))
    expect(await response.json()).toMatchObject({
      url: site.urlOf(framework, arrival),
      title: `${LABELS[framework]}: an article that came ${arrival}`,
      description: `Written by ${LABELS[framework]} in the browser`,
      image: `http://127.0.0.1:${site.port}/cover.png`,
      favicon: `http://127.0.0.1:${site.port}/icon.png`,
      locale: 'en',
      fetch_method: 'headless',
    })
  })
})

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const CHALLENGE = '<title>Just a moment...</title><body><script>window._cf_chl_opt = {}</script>'
const ARTICLE = '<title>The article</title><meta name="description" content="D"><body><p>' + 'four '.repeat(100)
const SHELL = '<title>Shell</title><body><div id="root"></div>'
const filledBy = (script: string) => `${SHELL}<script>${script}</script>`
const OPEN_GRAPH = `document.head.innerHTML = '<meta property=og:title content="Filled in"><meta property=og:image content=i.png>'`

const answer = (html: string, status = 200) => ({ html, status })
type Answer = ReturnType<typeof answer>

/** The plain response, the response to the browser, and the expected result. */
interface Case {
  plain: Answer
  browser?: Answer
  status?: number
  expected: Record<string, unknown>
  lacks?: string
  timeoutMs?: number
  /** Whether a browser requested the page. */
  isRendered: boolean
}

const CASES: Readonly<Record<string, Case>> = {
  'a 403 for plain requests only': {
    plain: answer('No', 403),
    browser: answer(ARTICLE),
    expected: { title: 'The article', fetch_method: 'headless' },
    isRendered: true,
  },
  'a 429 for plain requests only': {
    plain: answer('', 429),
    browser: answer(ARTICLE),
    expected: { title: 'The article', fetch_method: 'headless' },
    isRendered: true,
  },
  'a 403 for all clients': {
    plain: answer('<title>Forbidden</title>', 403),
    status: 502,
    expected: { error: 'Failed to fetch URL: HTTP 403' },
    isRendered: true,
  },
  'a 503 for plain requests, an empty page for browsers': {
    plain: answer('', 503),
    browser: answer(''),
    status: 502,
    expected: { error: 'Failed to fetch URL: HTTP 503' },
    isRendered: true,
  },
  'a password prompt': {
    plain: answer('', 401),
    status: 502,
    expected: { error: 'Failed to fetch URL: HTTP 401' },
    isRendered: true,
  },
  'a 404': {
    plain: answer(filledBy(OPEN_GRAPH), 404),
    status: 502,
    expected: { error: 'Failed to fetch URL: HTTP 404' },
    isRendered: false,
  },
  'a challenge that browsers pass': {
    plain: answer(CHALLENGE),
    browser: answer(ARTICLE),
    expected: { title: 'The article', fetch_method: 'headless' },
    isRendered: true,
  },
  'a challenge that browsers do not pass': {
    plain: answer(CHALLENGE),
    status: 502,
    expected: { error: 'Failed to fetch URL: blocked by the site' },
    isRendered: true,
  },
  'a challenge with 403 that browsers do not pass': {
    plain: answer(CHALLENGE, 403),
    status: 502,
    expected: { error: 'Failed to fetch URL: blocked by the site' },
    isRendered: true,
  },
  'a 403, a challenge for browsers': {
    plain: answer('<title>Forbidden</title>', 403),
    browser: answer(CHALLENGE, 403),
    status: 502,
    expected: { error: 'Failed to fetch URL: blocked by the site' },
    isRendered: true,
  },
  'a usable page, a challenge for browsers': {
    plain: answer(filledBy('')),
    browser: answer(CHALLENGE),
    expected: { title: 'Shell', fetch_method: 'http' },
    isRendered: true,
  },
  'a usable page, an error for browsers': {
    plain: answer(filledBy('')),
    browser: answer('<title>Oops</title>', 500),
    expected: { title: 'Shell', fetch_method: 'http' },
    isRendered: true,
  },
  'scripts that never yield': {
    plain: answer(filledBy('while (true) {}')),
    timeoutMs: 3_000,
    expected: { title: 'Shell', fetch_method: 'http' },
    isRendered: true,
  },
  'scripts that add nothing': {
    plain: answer(filledBy('document.body.append("text")')),
    expected: { title: 'Shell', fetch_method: 'http' },
    isRendered: true,
  },
  'a template that is filled in': {
    plain: answer(`<title>{{ title }}</title><body><script>document.title = 'Filled in'</script>`),
    expected: { title: 'Filled in', fetch_method: 'headless' },
    isRendered: true,
  },
  'a template that is never filled in': {
    plain: answer('<title>{{ title }}</title><body><script></script>'),
    expected: { fetch_method: 'http' },
    lacks: 'title',
    isRendered: true,
  },
  'a complete page with a mount point': {
    plain: answer(
      `<meta property="og:title" content="T"><meta property="og:description" content="D"><body><app-root></app-root>
       <script>document.title = 'never seen'</script>`,
    ),
    expected: { title: 'T', fetch_method: 'http' },
    isRendered: false,
  },
  'an article': {
    plain: answer(`${ARTICLE}<script>document.title = 'never seen'</script>`),
    expected: { title: 'The article', fetch_method: 'http' },
    isRendered: false,
  },
}

/** Cases that differ from another one in a status, or that headless-binary.test.ts has too. */
const REPEATED: readonly string[] = [
  'a 429 for plain requests only',
  'a challenge with 403 that browsers do not pass',
  'scripts that never yield',
]

const hasShortDeadline = (name: string) => CASES[name]!.timeoutMs !== undefined

/** Only browsers send this header with a navigation. */
const isBrowser = (request: Request) => request.headers.has('upgrade-insecure-requests')

describeChromium('the better of the two results', () => {
  const rendered = new Set<string>()
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startApp({
      env: {
        URLMETA_CHROMIUM: 'auto',
        URLMETA_HEADLESS_CONCURRENCY: String(CONCURRENCY),
        URLMETA_PLAN_FREE_PER_MINUTE: '1000',
      },
      origin(request) {
        const name = decodeURIComponent(new URL(request.url).pathname.slice(1))
        if (name === 'short') return Response.redirect('/long/article', 302)
        if (isBrowser(request)) rendered.add(name)
        if (name === 'image.png') return new Response('\x89PNG\r\n\x1a\n', { headers: { 'content-type': 'image/png' } })
        if (name === 'hash-routes')
          return new Response(filledBy('document.title = `Page ${location.hash}`'), { headers: HTML })
        const { plain, browser = plain } = CASES[name] ?? { plain: answer(filledBy(OPEN_GRAPH)) }
        const { html, status } = isBrowser(request) ? browser : plain
        const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="x"' } : {}
        return new Response(html, { status, headers: { ...HTML, ...challenge } })
      },
    })
    key = await app.createKey()
    await warmUp((attempt) => app.metadata(key, `/warm-up-${attempt}`, { timeout: String(TIMEOUT_MS) }))
  }, PATIENT_TEST_MS)
  afterAll(() => app[Symbol.asyncDispose]())

  const ask = async (path: string, timeoutMs = TIMEOUT_MS) => {
    const response = await app.metadata(key, path, { timeout: String(timeoutMs) })
    return { status: response.status, cache: response.headers.get('x-cache'), body: await response.json() }
  }

  async function expectCase(name: string): Promise<void> {
    const { status = 200, expected, lacks = 'error code', isRendered, timeoutMs } = CASES[name]!
    const answered = await ask(`/${encodeURIComponent(name)}`, timeoutMs)
    expect(answered).toMatchObject({ status, body: expected })
    expect(answered.body).not.toHaveProperty(lacks)
    expect(rendered.has(name)).toBe(isRendered)
  }

  // Cases with a short deadline run alone.
  const names = typicalCases(Object.keys(CASES), (name) => !REPEATED.includes(name))
  const [short, long] = [names.filter(hasShortDeadline), names.filter((name) => !hasShortDeadline(name))]
  const inTurn = atMost(CONCURRENCY)
  test.concurrent.each(long)('%s', (name) => inTurn(() => expectCase(name)), 2 * PATIENT_TEST_MS)
  test.each(short)('%s', expectCase)

  test('the target of a redirect is rendered, and URLs are resolved against it', async () => {
    const { body } = await ask('/short')
    expect(body).toMatchObject({ title: 'Filled in', image: `${app.origin}/long/i.png`, fetch_method: 'headless' })
  })

  test('routes in the fragment are pages of their own, other fragments are not', async () => {
    const found: unknown[] = []
    for (const fragment of ['#/a', '#!/b', '#/a', '#top', '#end']) {
      const { cache, body } = await ask(`/hash-routes${fragment}`)
      found.push([cache, (body as { title: string }).title])
    }
    expect(found).toEqual([
      ['MISS', 'Page #/a'],
      ['MISS', 'Page #!/b'],
      ['HIT', 'Page #/a'],
      ['MISS', 'Page'],
      ['HIT', 'Page'],
    ])
  })

  test('an image is not rendered', async () => {
    expect((await ask('/image.png')).body).toMatchObject({ image: `${app.origin}/image.png`, fetch_method: 'http' })
    expect(rendered.has('image.png')).toBe(false)
  })

  test('with too little time left, nothing is rendered', async () => {
    const { body } = await ask('/hurry', MIN_HEADLESS_MS - 1)
    expect(body).toMatchObject({ title: 'Shell', fetch_method: 'http' })
    expect(rendered.has('hurry')).toBe(false)
  })

  test('a response that is incomplete for lack of time is not cached', async () => {
    expect(await ask('/hasty', MIN_HEADLESS_MS - 1)).toMatchObject({ cache: 'MISS', body: { fetch_method: 'http' } })
    expect(await ask('/hasty')).toMatchObject({ cache: 'MISS', body: { title: 'Filled in', fetch_method: 'headless' } })
    expect(await ask('/hasty', 1_000)).toMatchObject({ cache: 'HIT', body: { fetch_method: 'headless' } })
  })

  test('a rendered response is cached, a blocked one is not', async () => {
    expect(await ask('/cached')).toMatchObject({ cache: 'MISS', body: { fetch_method: 'headless' } })
    expect(await ask('/cached')).toMatchObject({ cache: 'HIT', body: { fetch_method: 'headless' } })
    const blocked = 'a challenge that browsers do not pass'
    rendered.delete(blocked)
    expect(await ask(`/${encodeURIComponent(blocked)}`)).toMatchObject({ status: 502 })
    expect(rendered.has(blocked)).toBe(true)
  })
})

test.each([
  ['is off: stored', 'off', 'HIT'],
  ['does not start: not stored', '/bin/false', 'MISS'],
  ['does not exist: not stored', '/no/such/chromium', 'MISS'],
])('the plain values of a shell are returned if Chromium %s', async (_, value, cache) => {
  await using app = await startApp({
    env: { URLMETA_CHROMIUM: value },
    origin: () => new Response(filledBy(OPEN_GRAPH), { headers: HTML }),
  })
  const key = await app.createKey()
  const response = await app.metadata(key, '/')
  expect(await response.json()).toMatchObject({ title: 'Shell', fetch_method: 'http' })
  expect((await app.metadata(key, '/')).headers.get('x-cache')).toBe(cache)
})

describeChromium('the standing of Chromium', () => {
  test('is ready before the first page, running during it, and ready again after it exits', async () => {
    const origin = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response(filledBy(OPEN_GRAPH), { headers: HTML }),
    })
    const parsed = parseConfig({
      URLMETA_CHROMIUM: 'auto',
      URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}`,
    })
    if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
    const reader = openReader(parsed.config, { browserResponseMs: PATIENT_BROWSER_MS })
    const before = reader.chromium.status()
    expect(before).toMatchObject({ state: 'ready' })
    using budget = budgetOf(TIMEOUT_MS)
    await reader.read(new URL(origin.url), budget)
    expect(reader.chromium.status()).toMatchObject({ state: 'running' })
    await reader[Symbol.asyncDispose]()
    expect(reader.chromium.status()).toEqual(before)
    await origin.stop(true)
  })
})

describeChromium('a host whose pages all need Chromium', () => {
  const early: [value: string, reasons: string[]][] = [
    ['on', ['empty_mount_point', 'empty_mount_point', 'empty_mount_point', 'learned']],
    ['off', ['empty_mount_point', 'empty_mount_point', 'empty_mount_point', 'empty_mount_point']],
  ]
  test.each(typicalCases(early, ([value]) => value === 'on'))('early rendering %s', async (value, reasons) => {
    await using app = await startApp({
      env: { URLMETA_CHROMIUM: 'auto', URLMETA_LEARNED_RENDERING: value },
      origin: () => new Response(filledBy(OPEN_GRAPH), { headers: HTML }),
    })
    const key = await app.createKey()
    const found: unknown[] = []
    for (const path of ['/1', '/2', '/3', '/4']) {
      const response = await app.metadata(key, path, { timeout: String(TIMEOUT_MS) })
      expect(await response.json()).toMatchObject({ title: 'Filled in', fetch_method: 'headless' })
      const id = response.headers.get('x-request-id')!
      found.push((await app.logged({ id }))['methodReason'])
    }
    expect(found).toEqual(reasons)
  })

  test('is rendered early after a restart too', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'urlmeta-test-'))
    using _ = { [Symbol.dispose]: () => rmSync(dataDir, { recursive: true }) }
    const env = {
      URLMETA_CHROMIUM: 'auto',
      URLMETA_DATA_DIR: dataDir,
      URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${site.port}`,
    }
    let key = ''
    const reasons: unknown[] = []
    for (const frameworks of [FRAMEWORKS.slice(0, 3), FRAMEWORKS.slice(3, 4)]) {
      await using app = await startApp({ env })
      key ||= await app.createKey()
      for (const framework of frameworks) {
        const query = new URLSearchParams({ url: site.urlOf(framework, ARRIVALS[0]!), timeout: String(TIMEOUT_MS) })
        const response = await fetch(`${app.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })
        expect(response.status).toBe(200)
        reasons.push((await app.logged({ id: response.headers.get('x-request-id')! }))['methodReason'])
      }
    }
    expect(reasons.map((reason) => reason === 'learned')).toEqual([false, false, false, true])
  })
})
