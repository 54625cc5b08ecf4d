import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'

import { MIN_HEADLESS_MS } from '../../src/core/fetch/method.ts'
import type { RenderOutcome } from '../../src/core/fetch/ports.ts'
import { createBrowserSupervisor } from '../../src/fetch/chromium/browser-supervisor.ts'
import { MAX_EVENTS } from '../../src/fetch/chromium/limits.ts'
import { openBrowser, type OpenBrowser } from '../../src/fetch/chromium/open-browser.ts'
import { HOSTILE_PAGES, type HostilePage } from '../origin/hostile-scripts.ts'
import { chromium, describeChromium, describeEachChromium, isPreferred } from '../requirements.ts'
import { groupsOf, groupedRuns } from '../grouped-runs.ts'
import { isThorough, typicalCases, whenTypical } from '../thorough.ts'
import { budgetOf } from './budget.ts'
import { killProcessesOf, processesOf, runningProcesses, until } from './processes.ts'
import { rendererFor } from './renderer-for.ts'
import { PATIENT_BROWSER_MS, PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const MADE = `document.head.innerHTML = '<meta property="og:title" content="Made by a script">'`
const GOOD = `<!doctype html><div id="root"></div><script>
  ${MADE}
</script>`

/** Pages by path; any other path is a good page. */
function openPages(pages: Record<string, () => Response | Promise<Response>> = {}) {
  const requested: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      requested.push(pathname)
      return pages[pathname]?.() ?? new Response(GOOD, { headers: HTML })
    },
  })
  return {
    requested,
    allowed: `127.0.0.1:${server.port}`,
    urlOf: (path: string) => new URL(`http://127.0.0.1:${server.port}${path}`),
    [Symbol.dispose]: () => void server.stop(true),
  }
}

/** Tests of the engine, which every kind of Chromium shares: by default they run with the one that the service would use. */
const whenPreferred = (executable: string, define: () => void) => whenTypical(isPreferred(executable), define)

const htmlOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describeChromium('cookies of a rule for a site', () => {
  test.each([
    ['that Chromium refuses are left out; the others are sent', true, 'session=s3cret'],
    ['are not sent over plain HTTP unless the rule allows it', false, 'null'],
  ])('%s', async (_, insecure, sent) => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => new Response(`<title>${request.headers.get('cookie')}</title>`, { headers: HTML }),
    })
    const errors: unknown[] = []
    const cookies = { '__Host-session': 'a', long: 'x'.repeat(5_000), session: 's3cret' }
    await using renderer = rendererFor(chromium!, [`127.0.0.1:${server.port}`], {
      sites: [{ hosts: ['127.0.0.1'], cookies, insecure }],
      onError: (error) => errors.push(error),
    })
    using budget = budgetOf(PATIENT_BROWSER_MS)
    const outcome = await renderer.render(new URL(`http://127.0.0.1:${server.port}/`), budget)
    expect('page' in outcome && htmlOf(outcome.page.bytes)).toContain(`<title>${sent}</title>`)
    expect(errors).toEqual([])
    await server.stop(true)
  })
})

describeChromium('the proxy of the browser', () => {
  test('is not reached by pages, even if all ports of its address are allowed', async () => {
    await using renderer = rendererFor(chromium!, ['127.0.0.1'])
    using budget = budgetOf(PATIENT_BROWSER_MS)
    const render = (port: number) => renderer.render(new URL(`http://127.0.0.1:${port}/`), budget)
    using site = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<p>Text', { headers: HTML }) })
    expect(await render(site.port!)).toMatchObject({ page: { status: 200 } })
    const ports = runningProcesses().flatMap(({ command }) => /--proxy-server=\S*?:(\d+)/.exec(command)?.[1] ?? [])
    // Other tests may have a browser too.
    const outcomes = await Promise.all([...new Set(ports)].map((port) => render(Number(port))))
    expect(outcomes.map(({ report }) => report.refused[0]?.refusal)).toContain('own_address')
  })
})

/** A statement of a script that writes the metadata. */
const LATE = `(document.head.innerHTML = '<meta property=og:title content=Late>')`

describeEachChromium('a rendered page', (executable) => {
  const pages = openPages({
    '/moved': () => Response.redirect('/arrived', 302),
    '/refused': () => new Response('<title>No</title>', { status: 403, headers: HTML }),
    '/left': () => new Response(`<script>location.replace('/arrived#there')</script>`, { headers: HTML }),
    '/pushed': () => new Response(`<script>history.pushState({}, '', '/elsewhere')</script>${GOOD}`, { headers: HTML }),
    '/image': () => new Response('GIF89a', { headers: { 'content-type': 'image/gif' } }),
    '/file': () => new Response('data', { headers: { 'content-disposition': 'attachment', 'content-type': 'a/b' } }),
    '/text': () => new Response('plain', { headers: { 'content-type': 'text/plain' } }),
    '/latin': () =>
      new Response(Buffer.from('<title>caf\xe9</title>', 'latin1'), {
        headers: { 'content-type': 'text/html; charset=iso-8859-1' },
      }),
    '/heavy': () =>
      new Response(
        `<link rel=stylesheet href=/style.css onload="document.head.innerHTML = '<meta property=og:title content=Styled>'">
         <style>@font-face { font-family: f; src: url(/font.woff2) } p { font-family: f; background: url(/paper.png) }</style>
         <img src=/i.png><video src=/v.mp4></video><link rel=manifest href=/m.json><p>text</p>`,
        { headers: HTML },
      ),
    '/removed': () =>
      new Response(
        `<title>Boot</title><script>document.currentScript.remove(); setTimeout(() => ${LATE}, 200)</script>`,
        {
          headers: HTML,
        },
      ),
    '/loading': () =>
      new Response(`<meta property=og:title content=Loading…><script>setTimeout(() => ${LATE}, 200)</script>`, {
        headers: HTML,
      }),
    '/aborted': () => new Response(`<title>x</title><script>fetch('/endless')</script>`, { headers: HTML }),
    '/endless': () => new Promise<Response>(() => {}),
    '/framed': () => new Response('<title>x</title><script></script><iframe src=/chat></iframe>', { headers: HTML }),
    '/chat': () => new Response(`<script>fetch('/message')</script>`, { headers: HTML }),
    '/message': () => new Promise<Response>(() => {}),
    '/agent': () =>
      new Response(
        `<script>document.head.innerHTML = '<meta property=og:title>'
         document.querySelector('meta').content = navigator.userAgent + ' ' + navigator.language + ', SharedWorker ' + typeof SharedWorker</script>`,
        { headers: HTML },
      ),
  })
  const renderer = rendererFor(executable, [pages.allowed])
  afterAll(async () => {
    await renderer[Symbol.asyncDispose]()
    pages[Symbol.dispose]()
  })
  const render = async (path: string) => {
    using budget = budgetOf(PATIENT_BROWSER_MS)
    return await renderer.render(pages.urlOf(path), budget)
  }
  const rendered = async (path: string) => {
    const outcome = await render(path)
    if ('failure' in outcome) throw new Error(`${path}: ${outcome.failure}`)
    return outcome.page
  }

  test('is the document after its scripts have run', async () => {
    const page = await rendered('/')
    expect({ ...page, url: page.url.pathname, bytes: htmlOf(page.bytes) }).toMatchObject({
      url: '/',
      status: 200,
      kind: 'html',
      bytes: expect.stringContaining('<meta property="og:title" content="Made by a script">'),
      charset: { encoding: 'UTF-8' },
    })
  })

  test('loads no images, media, fonts and manifests, and gets empty style sheets', async () => {
    expect(htmlOf((await rendered('/heavy')).bytes)).toContain('Styled')
    const unwanted = ['/style.css', '/font.woff2', '/paper.png', '/i.png', '/v.mp4', '/m.json', '/favicon.ico']
    expect(pages.requested.filter((path) => unwanted.includes(path))).toEqual([])
  })

  test('looks like an ordinary browser', async () => {
    const html = htmlOf((await rendered('/agent')).bytes)
    expect(html).toMatch(/Mozilla\/5\.0 \(X11; Linux x86_64\) .* Chrome\/\d+\.0\.0\.0 Safari\/537\.36 en-US/)
    expect(html).not.toContain('Headless')
    // Thousands of shared workers would block the browser for all pages.
    expect(html).toContain('SharedWorker undefined')
  })

  whenPreferred(executable, () => {
    test.each<[name: string, path: string, arrived: string, status: number]>([
      ['a redirect', '/moved', '/arrived', 200],
      ['a redirect by script', '/left', '/arrived', 200],
      ['an error status', '/refused', '/refused', 403],
      ['a change of the URL only', '/pushed', '/pushed', 200],
    ])('has the URL and status of its document: %s', async (_, path, arrived, status) => {
      const page = await rendered(path)
      expect([page.url.pathname, page.status]).toEqual([arrived, status])
    })

    test.each([
      ['whose script removes its element', '/removed'],
      ['whose og:title is replaced later', '/loading'],
    ])('%s is read when it is ready', async (_, path) => {
      const { bytes, isCut } = await rendered(path)
      expect([htmlOf(bytes), isCut]).toEqual([expect.stringContaining('content="Late"'), false])
    })

    test('does not wait for the requests of a frame', async () => {
      expect((await rendered('/framed')).isCut).toBe(false)
    })

    test('is cut when its time is over', async () => {
      const requestCount = () => pages.requested.filter((path) => path === '/message').length
      const before = requestCount()
      let outcome: RenderOutcome
      let timeoutMs = MIN_HEADLESS_MS + 500
      // A busy machine takes longer to open the page.
      do {
        using budget = budgetOf(timeoutMs)
        outcome = await renderer.render(pages.urlOf('/chat'), budget)
        timeoutMs *= 2
      } while (requestCount() === before)
      expect(outcome).toMatchObject({ page: { isCut: true } })
    })

    test('is UTF-8, regardless of its original encoding', async () => {
      expect(htmlOf((await rendered('/latin')).bytes)).toContain('<title>café</title>')
    })

    test.each([
      ['/image', { page: expect.objectContaining({ kind: 'other', bytes: new Uint8Array() }) }],
      ['/text', { page: expect.objectContaining({ kind: 'other' }) }],
      ['/file', { failure: 'unreachable' }],
    ])('is not rendered: %s', async (path, expected) => expect(await render(path)).toMatchObject(expected))

    test('reports its cost', async () => {
      const { report } = await render('/')
      expect(report).toMatchObject({ requests: 1, hosts: 1, refused: [] })
      expect(report.bytes).toBeGreaterThan(GOOD.length / 2)
    })

    test('ends when its request is aborted', async () => {
      using budget = budgetOf(PATIENT_BROWSER_MS)
      const client = new AbortController()
      const rendering = renderer.render(pages.urlOf('/aborted'), { ...budget, signal: client.signal })
      await until(() => pages.requested.includes('/endless'))
      client.abort()
      expect(await rendering).toMatchObject({ failure: 'out_of_time' })
    })
  })
})

describeEachChromium('memory of a page', (executable) => {
  const MEGABYTES = 1_200
  /** Takes memory that V8 does not count until it has it all or fails, and has the result as its title. */
  const takes = (statement: string) => () =>
    new Response(
      `<!doctype html><body><script>
        const held = []
        let problem = 'took it all'
        try { while (held.length < ${MEGABYTES / 50}) ${statement} } catch (error) { problem = 'failed' }
        document.head.innerHTML = '<meta property="og:title" content="' + problem + '">'
      </script>`,
      { headers: HTML },
    )

  test.each([
    ['array buffers', 'held.push(new Uint8Array(50e6))'],
    ['memory of WebAssembly', 'held.push(new WebAssembly.Memory({ initial: 800 }))'],
  ])('%s are limited', async (_, statement) => {
    using pages = openPages({ '/fills': takes(statement) })
    await using renderer = rendererFor(executable, [pages.allowed])
    using budget = budgetOf(PATIENT_BROWSER_MS)
    const outcome = await renderer.render(pages.urlOf('/fills'), budget)
    const title = 'page' in outcome ? htmlOf(outcome.page.bytes) : outcome.failure
    expect(title).toMatch(/content="failed"|^crashed$/)
  })
})

/** Hostile pages that are open at the same time. */
const GROUP_SIZE = 15

/** One hostile page for each part of the browser that it exhausts or blocks. */
const TYPICAL_HOSTILE_PAGES: readonly string[] = [
  'scripts that never yield',
  'endless alerts',
  'endless redirects by script',
  'endless history entries',
  'endless console output',
  'endless memory allocation',
  'endless title changes',
  'frames in frames',
  'endless windows',
  'endless workers',
  'a dialog before unloading',
  'a document that is never closed',
  'replaced built-ins',
  'a body of one gigabyte',
  'endless redirects',
]

/** Those that concern windows, which the full Chromium has and the headless shell has not. */
const TYPICAL_OF_WINDOWS: readonly string[] = [
  'endless alerts',
  'endless history entries',
  'endless windows',
  'a dialog before unloading',
]

/** The remaining time of a hostile page that was not requested yet: a little more than the least time to open a page. */
const OPENING_MS = MIN_HEADLESS_MS + 100

/** From the first request of a hostile page to its deadline. Until then most of them use a processor. */
const DEADLINE_MS = isThorough ? 1_000 : 600

describeEachChromium('hostile pages', (executable) => {
  const typicalNames = isPreferred(executable) ? TYPICAL_HOSTILE_PAGES : TYPICAL_OF_WINDOWS
  const hostilePages = typicalCases(
    HOSTILE_PAGES.filter(({ isEngineOnly }) => !isEngineOnly || isPreferred(executable)),
    ({ name }) => typicalNames.includes(name),
  )
  /** When each page was first requested. */
  const requestedAtMs = new Map<string, number>()
  const pages = openPages(
    Object.fromEntries(
      hostilePages.map(({ path, respond }) => [
        path,
        () => {
          if (!requestedAtMs.has(path)) requestedAtMs.set(path, performance.now())
          return respond()
        },
      ]),
    ),
  )
  let opened: OpenBrowser
  const renderer = rendererFor(executable, [pages.allowed], {
    // A page releases its slot after its result, once it is closed. No page has to wait for another group.
    concurrency: 3 * GROUP_SIZE,
    onStart: (started) => (opened = started),
  })
  beforeAll(async () => {
    using budget = budgetOf(PATIENT_BROWSER_MS)
    await renderer.render(pages.urlOf('/good'), budget)
  })
  afterAll(async () => {
    await renderer[Symbol.asyncDispose]()
    pages[Symbol.dispose]()
  })

  /** Renders a page with a deadline that begins with its request, since a busy machine takes long to open a page. */
  async function open({ path }: HostilePage): Promise<void> {
    const budget = {
      userId: null,
      publicOnly: false,
      signal: new AbortController().signal,
      remainingMs() {
        const startedAtMs = requestedAtMs.get(path)
        return startedAtMs === undefined ? OPENING_MS : startedAtMs + DEADLINE_MS - performance.now()
      },
    }
    await renderer.render(pages.urlOf(path), budget)
    expect(pages.requested).toContain(path)
  }

  const openGroup = groupedRuns(groupsOf(hostilePages, GROUP_SIZE), async (group) => {
    await Promise.all(group.map(open))
    using longBudget = budgetOf(PATIENT_BROWSER_MS)
    return await renderer.render(pages.urlOf('/good'), longBudget)
  })

  test.each(hostilePages.map((page) => [page.name, page] as const))(
    '%s do not outlive the deadline, and the next page works',
    async (_, page) => expect(await openGroup(page)).toHaveProperty('page.status', 200),
  )

  test('leave no processes', async () => {
    await until(() => !processesOf(opened.process!.profile).some(({ command }) => command.includes('--type=renderer')))
    const { profile } = opened.process!
    await renderer[Symbol.asyncDispose]()
    await until(() => processesOf(profile).length === 0)
    expect(existsSync(profile)).toBe(false)
  })
})

describeChromium('a page that exceeds a limit', () => {
  const titled = (script: string) =>
    `<!doctype html><meta property="og:title" content="Said"><script>${script}</script>`
  // One megabyte is more than a message of DevTools may have.
  const megabytes = 2
  const requests = 2 * MAX_EVENTS
  const SCRIPTS: Readonly<Record<string, string>> = {
    [`${requests} requests`]: `for (let i = 0; i < ${requests}; i++) fetch('/sub' + i)`,
    [`one line of console output, ${megabytes} megabytes long`]: `console.log('x'.repeat(${megabytes}e6))`,
    [`${megabytes} megabytes to post`]: `fetch('/post', { method: 'POST', body: 'x'.repeat(${megabytes}e6) })`,
  }
  const pathOf = (name: string) => `/${name.replaceAll(' ', '-')}`
  const pages = openPages({
    ...Object.fromEntries(
      Object.entries(SCRIPTS).map(([name, script]) => [
        pathOf(name),
        () => new Response(titled(script), { headers: HTML }),
      ]),
    ),
    // A page without metadata is waited for; once it has metadata, it is read.
    '/holding': () =>
      new Response(`<title>x</title><script>fetch('/held').then(() => { ${MADE} })</script>`, { headers: HTML }),
    '/held': async () => {
      await until(() => pages.requested.includes('/over'))
      return new Response('')
    },
  })
  afterAll(() => pages[Symbol.dispose]())

  /** Renders these pages one after the other, each followed by an ordinary page, while another page is open. */
  const renderAll = groupedRuns([Object.keys(SCRIPTS)], async (names) => {
    const started: OpenBrowser[] = []
    const faults: unknown[] = []
    await using renderer = rendererFor(chromium!, [pages.allowed], {
      onStart: (opened) => started.push(opened),
      onError: (fault) => faults.push(fault),
    })
    using longBudget = budgetOf(PATIENT_BROWSER_MS)
    // As long as the test: without its limit, the page would be waited for until the test fails.
    const render = async (path: string) => {
      using budget = budgetOf(PATIENT_BROWSER_MS)
      return await renderer.render(pages.urlOf(path), budget)
    }
    const other = renderer.render(pages.urlOf('/holding'), longBudget)
    await until(() => pages.requested.includes('/held'))
    const outcomes = new Map<string, { page: RenderOutcome; next: RenderOutcome }>()
    for (const name of names) outcomes.set(name, { page: await render(pathOf(name)), next: await render('/next') })
    await render('/over')
    return { outcomes, other: await other, browsers: started.length, faults }
  })

  test.each(Object.keys(SCRIPTS))('is used in its current state, and its browser continues: %s', async (name) => {
    const { outcomes, other, browsers, faults } = await renderAll(name)
    expect(outcomes.get(name)).toMatchObject({ page: { page: { status: 200 } }, next: { page: { status: 200 } } })
    expect(other).toMatchObject({ page: { status: 200 } })
    expect({ browsers, faults }).toEqual({ browsers: 1, faults: [] })
  })
})

/** A page with a request to `/held`, which never ends. */
const holding = () => new Response(`<title>x</title><script>fetch('/held')</script>`, { headers: HTML })
const never = () => new Promise<Response>(() => {})

describeEachChromium('when Chromium', (executable) => {
  test('opens frames of other sites, they are in the process of the page', async () => {
    let opened: OpenBrowser | undefined
    let processes = 0
    using pages = openPages({
      '/framing': () => new Response(`<iframe src="${frame.href}"></iframe><script></script>`, { headers: HTML }),
      '/frame': () => new Response(`<script>fetch('/reached')</script>`, { headers: HTML }),
      '/reached': () => {
        const running = processesOf(opened!.process!.profile)
        processes = running.filter(({ command }) => command.includes('--type=renderer')).length
        return new Response('')
      },
    })
    const frame = pages.urlOf('/frame')
    frame.hostname = 'localhost'
    const options = { onStart: (started: OpenBrowser) => (opened = started) }
    await using renderer = rendererFor(executable, [pages.allowed, frame.host], options)
    using budget = budgetOf(PATIENT_BROWSER_MS)
    expect(await renderer.render(pages.urlOf('/framing'), budget)).toHaveProperty('page.status', 200)
    expect(processes).toBe(1)
  })

  whenPreferred(executable, () => {
    test("loses the page's process, the page has crashed and the next one works", async () => {
      using pages = openPages({ '/holding': holding, '/held': never })
      let opened: OpenBrowser | undefined
      await using renderer = rendererFor(executable, [pages.allowed], { onStart: (started) => (opened = started) })
      using budget = budgetOf(PATIENT_BROWSER_MS)
      const outcome = renderer.render(pages.urlOf('/holding'), budget)
      await until(() => pages.requested.includes('/held'))
      killProcessesOf(opened!.process!.profile, '--type=renderer')
      expect(await outcome).toMatchObject({ failure: 'crashed' })
      expect(await renderer.render(pages.urlOf('/'), budget)).toHaveProperty('page.status', 200)
    })

    test('exits during a page, it is replaced and the page is retried', async () => {
      let visits = 0
      using pages = openPages({
        '/holding': () => (visits++ === 0 ? holding() : new Response(GOOD, { headers: HTML })),
        '/held': never,
      })
      const started: OpenBrowser[] = []
      const faults: unknown[] = []
      let stops = 0
      await using renderer = rendererFor(executable, [pages.allowed], {
        onStart: (opened) => started.push(opened),
        onEnd: () => stops++,
        onError: (error) => faults.push(error),
      })
      using budget = budgetOf(PATIENT_BROWSER_MS)
      const outcome = renderer.render(pages.urlOf('/holding'), budget)
      await until(() => pages.requested.includes('/held'))
      const { profile } = started[0]!.process!
      killProcessesOf(profile)
      expect(await outcome).toHaveProperty('page.status', 200)
      expect(started).toHaveLength(2)
      await until(() => !existsSync(profile) && stops === 1)
      expect(faults.map(String)).toEqual([expect.stringContaining('Chromium exited unexpectedly')])
      await renderer[Symbol.asyncDispose]()
      expect({ stops, faults: faults.length }).toEqual({ stops: 2, faults: 1 })
    })
  })
})

describe('when Chromium', () => {
  test('does not start, each page reports it once and no files are left', async () => {
    const faults: unknown[] = []
    using pages = openPages()
    await using renderer = rendererFor('/bin/false', [], { onError: (error) => faults.push(error) })
    using budget = budgetOf(PATIENT_BROWSER_MS)
    expect(await renderer.render(pages.urlOf('/'), budget)).toMatchObject({ failure: 'not_started' })
    expect(await renderer.render(pages.urlOf('/'), budget)).toMatchObject({ failure: 'not_started' })
    expect(faults).toHaveLength(2)
    expect(String(faults[0])).toContain('Chromium did not start')
  })

  test('is not installed, this is reported', async () => {
    using pages = openPages()
    await using renderer = rendererFor('/no/such/chromium', [])
    using budget = budgetOf(PATIENT_BROWSER_MS)
    expect(await renderer.render(pages.urlOf('/'), budget)).toMatchObject({ failure: 'not_started' })
  })

  test('has too many waiting pages, the last ones fail immediately', async () => {
    using pages = openPages()
    await using renderer = rendererFor('/bin/sleep', [pages.allowed], { concurrency: 1 })
    using budget = budgetOf(3_000)
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => renderer.render(pages.urlOf('/'), budget)))
    const failures = outcomes.map((outcome) => ('failure' in outcome ? outcome.failure : 'none'))
    expect(failures.filter((failure) => failure === 'busy')).toHaveLength(30 - 1 - 16)
  })
})

describeChromium('when Chromium', () => {
  test('has too many waiting pages of one user, others still get slots', async () => {
    using pages = openPages({ '/holding': holding, '/held': never })
    await using renderer = rendererFor(chromium!, [pages.allowed])
    const stop = new AbortController()
    const greedy = { userId: 'greedy', publicOnly: false, signal: stop.signal, remainingMs: () => PATIENT_BROWSER_MS }
    const outcomes = Array.from({ length: 50 }, () => renderer.render(pages.urlOf('/holding'), greedy))
    await until(() => pages.requested.includes('/held'))
    using otherUser = budgetOf(PATIENT_BROWSER_MS, 'other')
    expect(await renderer.render(pages.urlOf('/'), otherUser)).toHaveProperty('page.status', 200)
    stop.abort()
    const failures = (await Promise.all(outcomes)).map((outcome) => ('failure' in outcome ? outcome.failure : 'none'))
    expect(failures.filter((failure) => failure === 'busy')).toHaveLength(50 - 2 - 2 * 16)
  })
})

describeChromium('the supervisor', () => {
  const open = (options: { idleMs?: number; maxPages?: number }) => {
    const started: OpenBrowser[] = []
    const stopped: { isUnexpected: boolean }[] = []
    const supervisor = createBrowserSupervisor({
      open: () => openBrowser(chromium!, 9),
      onStart: (opened) => started.push(opened),
      onEnd: (_, isUnexpected) => stopped.push({ isUnexpected }),
      ...options,
    })
    return { started, stopped, supervisor }
  }

  test('starts one browser for concurrent requests, on demand', async () => {
    const { started, supervisor } = open({})
    await using _supervisor = supervisor
    expect(started).toHaveLength(0)
    const leases = await Promise.all([supervisor.lease(), supervisor.lease()])
    expect(started).toHaveLength(1)
    expect(leases[0]!.opened).toBe(leases[1]!.opened)
  })

  test('stops an idle browser', async () => {
    const { started, stopped, supervisor } = open({ idleMs: 50 })
    await using _supervisor = supervisor
    using lease = await supervisor.lease()
    const { profile } = lease.opened.process!
    await Bun.sleep(150)
    expect(existsSync(profile)).toBe(true)
    lease[Symbol.dispose]()
    await until(() => !existsSync(profile) && stopped.length === 1)
    expect(stopped).toEqual([{ isUnexpected: false }])
    const again = await supervisor.lease()
    expect(started).toHaveLength(2)
    again[Symbol.dispose]()
  })

  test('replaces a browser after its maximum number of pages, when the last one is done', async () => {
    const { started, supervisor } = open({ maxPages: 2 })
    await using _supervisor = supervisor
    const [first, second] = [await supervisor.lease(), await supervisor.lease()]
    const third = await supervisor.lease()
    expect(started).toHaveLength(2)
    expect(third.opened).not.toBe(first.opened)
    first[Symbol.dispose]()
    expect(first.opened.browser.isConnected()).toBe(true)
    second[Symbol.dispose]()
    await until(() => !first.opened.browser.isConnected())
    third[Symbol.dispose]()
  })

  test('replaces a discarded browser', async () => {
    const { supervisor } = open({})
    await using _supervisor = supervisor
    const lease = await supervisor.lease()
    lease.discard()
    await until(() => !existsSync(lease.opened.process!.profile))
    expect((await supervisor.lease()).opened).not.toBe(lease.opened)
  })
})
