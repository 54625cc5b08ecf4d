import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'

import { createBrowserSupervisor } from '../../src/fetch/chromium/browser-supervisor.ts'
import { openBrowser, type OpenBrowser } from '../../src/fetch/chromium/open-browser.ts'
import { atMost } from '../at-most.ts'
import { HOSTILE_PAGES } from '../origin/hostile-scripts.ts'
import { describeEachChromium } from '../requirements.ts'
import { budgetOf, GENEROUS_MS } from './budget.ts'
import { killProcessesOf, processesOf, until } from './processes.ts'
import { rendererFor } from './renderer-for.ts'

/** More than anything here takes, on a machine that is busy with other things. */
const PATIENT_MS = 60_000
setDefaultTimeout(PATIENT_MS)

/** Enough to open a page that does not mean to be read. */
const SHORT_MS = 2_000

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const GOOD = `<!doctype html><div id="root"></div><script>
  document.head.innerHTML = '<meta property="og:title" content="Made by a script">'
</script>`

/** Pages by their paths; what is not there is a good page. */
function openPages(pages: Record<string, () => Response | Promise<Response>> = {}) {
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      asked.push(pathname)
      return pages[pathname]?.() ?? new Response(GOOD, { headers: HTML })
    },
  })
  return {
    asked,
    allowed: `127.0.0.1:${server.port}`,
    urlOf: (path: string) => new URL(`http://127.0.0.1:${server.port}${path}`),
    [Symbol.dispose]: () => void server.stop(true),
  }
}

const htmlOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

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
    '/agent': () =>
      new Response(
        `<script>document.head.innerHTML = '<meta property=og:title>'
         document.querySelector('meta').content = navigator.userAgent + ' ' + navigator.language</script>`,
        { headers: HTML },
      ),
  })
  const renderer = rendererFor(executable, [pages.allowed])
  afterAll(async () => {
    await renderer[Symbol.asyncDispose]()
    pages[Symbol.dispose]()
  })
  const render = async (path: string) => {
    using budget = budgetOf(PATIENT_MS)
    return await renderer.render(pages.urlOf(path), budget)
  }
  const rendered = async (path: string) => {
    const outcome = await render(path)
    if ('failure' in outcome) throw new Error(`${path}: ${outcome.failure}`)
    return outcome.page
  }

  test('is what its scripts have made of it', async () => {
    const page = await rendered('/')
    expect({ ...page, url: page.url.pathname, bytes: htmlOf(page.bytes) }).toMatchObject({
      url: '/',
      status: 200,
      kind: 'html',
      bytes: expect.stringContaining('<meta property="og:title" content="Made by a script">'),
      charset: { encoding: 'UTF-8' },
    })
  })

  test.each<[name: string, path: string, arrived: string, status: number]>([
    ['a redirect', '/moved', '/arrived', 200],
    ['a redirect by script', '/left', '/arrived', 200],
    ['an error status', '/refused', '/refused', 403],
    ['a change of the address alone', '/pushed', '/pushed', 200],
  ])('has the URL and status of its document: %s', async (_, path, arrived, status) => {
    const page = await rendered(path)
    expect([page.url.pathname, page.status]).toEqual([arrived, status])
  })

  test('is UTF-8, whatever it was', async () => {
    expect(htmlOf((await rendered('/latin')).bytes)).toContain('<title>café</title>')
  })

  test('loads no images, media, fonts and manifests, and its style sheets are empty but there', async () => {
    expect(htmlOf((await rendered('/heavy')).bytes)).toContain('Styled')
    const unwanted = ['/style.css', '/font.woff2', '/paper.png', '/i.png', '/v.mp4', '/m.json', '/favicon.ico']
    expect(pages.asked.filter((path) => unwanted.includes(path))).toEqual([])
  })

  test('meets a browser like any other', async () => {
    const html = htmlOf((await rendered('/agent')).bytes)
    expect(html).toMatch(/Mozilla\/5\.0 \(X11; Linux x86_64\) .* Chrome\/\d+\.0\.0\.0 Safari\/537\.36 en-US/)
    expect(html).not.toContain('Headless')
  })

  test.each([
    ['/image', { page: expect.objectContaining({ kind: 'other', bytes: new Uint8Array() }) }],
    ['/text', { page: expect.objectContaining({ kind: 'other' }) }],
    ['/file', { failure: 'unreachable' }],
  ])('is none: %s', async (path, expected) => expect(await render(path)).toMatchObject(expected))

  test('tells what it took', async () => {
    const { report } = await render('/')
    expect(report).toMatchObject({ requests: 1, hosts: 1, refused: [] })
    expect(report.bytes).toBeGreaterThan(GOOD.length / 2)
  })

  test('waits for nobody who has gone', async () => {
    using budget = budgetOf(1)
    expect(await renderer.render(pages.urlOf('/'), budget)).toMatchObject({ failure: 'out_of_time' })
  })
})

/** Pages that are open at once, next to each other in one Chromium. */
const CONCURRENCY = 4

describeEachChromium('hostile pages', (executable) => {
  const pages = openPages(Object.fromEntries(HOSTILE_PAGES.map(({ path, answer }) => [path, answer])))
  let opened: OpenBrowser
  // As many as there are slots: one that waits for its turn would run out of time before it is opened.
  const inTurn = atMost(CONCURRENCY)
  const renderer = rendererFor(executable, [pages.allowed], {
    concurrency: CONCURRENCY,
    onStart: (started) => (opened = started),
  })
  beforeAll(async () => {
    using budget = budgetOf(PATIENT_MS)
    await renderer.render(pages.urlOf('/good'), budget)
  })
  afterAll(async () => {
    await renderer[Symbol.asyncDispose]()
    pages[Symbol.dispose]()
  })

  test.concurrent.each(HOSTILE_PAGES.map((page) => [page.name, page] as const))(
    '%s do not outlive the deadline, and the next page works',
    (_, { path }) =>
      inTurn(async () => {
        // A busy machine may not come to open it in time: it is tried again, with more.
        for (let timeoutMs = SHORT_MS; !pages.asked.includes(path); timeoutMs *= 1.5) {
          using short = budgetOf(timeoutMs)
          await renderer.render(pages.urlOf(path), short)
        }
        using patient = budgetOf(PATIENT_MS)
        expect(await renderer.render(pages.urlOf('/good'), patient)).toHaveProperty('page.status', 200)
      }),
    // Some seconds for four of them, and the last ones wait for all the others.
    5 * PATIENT_MS,
  )

  test('leave no process behind', async () => {
    await until(() => !processesOf(opened.process!.profile).some(({ command }) => command.includes('--type=renderer')))
    const { profile } = opened.process!
    await renderer[Symbol.asyncDispose]()
    await until(() => processesOf(profile).length === 0)
    expect(existsSync(profile)).toBe(false)
  })
})

describeEachChromium('a page that asks too much', (executable) => {
  const titled = (script: string) =>
    `<!doctype html><meta property="og:title" content="Said"><script>${script}</script>`
  const SCRIPTS: Readonly<Record<string, string>> = {
    'ten thousand requests': `for (let i = 0; i < 10_000; i++) fetch('/sub' + i)`,
    'one line of console output, twenty megabytes long': `console.log('x'.repeat(2e7))`,
    'twenty megabytes to post': `fetch('/post', { method: 'POST', body: 'x'.repeat(2e7) })`,
  }
  const pathOf = (name: string) => `/${name.replaceAll(' ', '-')}`

  test.each(Object.keys(SCRIPTS))('is taken as it stands, and its browser stays: %s', async (name) => {
    const path = pathOf(name)
    using pages = openPages({
      [path]: () => new Response(titled(SCRIPTS[name]!), { headers: HTML }),
      '/holding': () => new Response(`<title>x</title><script>fetch('/held')</script>`, { headers: HTML }),
      '/held': async () => {
        await until(() => pages.asked.includes('/over'))
        return new Response('')
      },
    })
    const started: OpenBrowser[] = []
    const faults: unknown[] = []
    await using renderer = rendererFor(executable, [pages.allowed], {
      onStart: (opened) => started.push(opened),
      onError: (fault) => faults.push(fault),
    })
    using patient = budgetOf(PATIENT_MS)
    const other = renderer.render(pages.urlOf('/holding'), patient)
    await until(() => pages.asked.includes('/held'))
    using budget = budgetOf(GENEROUS_MS)
    expect(await renderer.render(pages.urlOf(path), budget)).toHaveProperty('page.status', 200)
    using next = budgetOf(GENEROUS_MS)
    expect(await renderer.render(pages.urlOf('/next'), next)).toHaveProperty('page.status', 200)
    await renderer.render(pages.urlOf('/over'), patient)
    expect(await other).toHaveProperty('page.status', 200)
    expect({ browsers: started.length, faults }).toEqual({ browsers: 1, faults: [] })
  })
})

describeEachChromium('when Chromium', (executable) => {
  const holding = () => new Response(`<title>x</title><script>fetch('/held')</script>`, { headers: HTML })
  const never = () => new Promise<Response>(() => {})

  test("loses the page's process, the page has crashed and the next one works", async () => {
    using pages = openPages({ '/holding': holding, '/held': never })
    let opened: OpenBrowser | undefined
    await using renderer = rendererFor(executable, [pages.allowed], { onStart: (started) => (opened = started) })
    using budget = budgetOf(PATIENT_MS)
    const outcome = renderer.render(pages.urlOf('/holding'), budget)
    await until(() => pages.asked.includes('/held'))
    for (const { pid, command } of processesOf(opened!.process!.profile)) {
      if (command.includes('--type=renderer')) process.kill(pid, 'SIGKILL')
    }
    expect(await outcome).toMatchObject({ failure: 'crashed' })
    expect(await renderer.render(pages.urlOf('/'), budget)).toHaveProperty('page.status', 200)
  })

  test('ends under a page, another one takes its place and the page is tried again', async () => {
    let visits = 0
    using pages = openPages({
      '/holding': () => (visits++ === 0 ? holding() : new Response(GOOD, { headers: HTML })),
      '/held': never,
    })
    const started: OpenBrowser[] = []
    const faults: unknown[] = []
    let ends = 0
    await using renderer = rendererFor(executable, [pages.allowed], {
      onStart: (opened) => started.push(opened),
      onEnd: () => ends++,
      onError: (error) => faults.push(error),
    })
    using budget = budgetOf(PATIENT_MS)
    const outcome = renderer.render(pages.urlOf('/holding'), budget)
    await until(() => pages.asked.includes('/held'))
    const { profile } = started[0]!.process!
    killProcessesOf(profile)
    expect(await outcome).toHaveProperty('page.status', 200)
    expect(started).toHaveLength(2)
    await until(() => !existsSync(profile) && ends === 1)
    expect(faults.map(String)).toEqual([expect.stringContaining('Chromium ended unexpectedly')])
    await renderer[Symbol.asyncDispose]()
    expect({ ends, faults: faults.length }).toEqual({ ends: 2, faults: 1 })
  })

  test('does not start, that is said once for each page, and nothing is left behind', async () => {
    const faults: unknown[] = []
    using pages = openPages()
    await using renderer = rendererFor('/bin/false', [], { onError: (error) => faults.push(error) })
    using budget = budgetOf(PATIENT_MS)
    expect(await renderer.render(pages.urlOf('/'), budget)).toMatchObject({ failure: 'not_started' })
    expect(await renderer.render(pages.urlOf('/'), budget)).toMatchObject({ failure: 'not_started' })
    expect(faults).toHaveLength(2)
    expect(String(faults[0])).toContain('Chromium did not start')
  })

  test('is not there, that is said', async () => {
    using pages = openPages()
    await using renderer = rendererFor('/no/such/chromium', [])
    using budget = budgetOf(PATIENT_MS)
    expect(await renderer.render(pages.urlOf('/'), budget)).toMatchObject({ failure: 'not_started' })
  })

  test('is asked for more pages than it can ever show, the last ones are told at once', async () => {
    using pages = openPages()
    await using renderer = rendererFor('/bin/sleep', [pages.allowed], { concurrency: 1 })
    using budget = budgetOf(3_000)
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => renderer.render(pages.urlOf('/'), budget)))
    const failures = outcomes.map((outcome) => ('failure' in outcome ? outcome.failure : 'none'))
    expect(failures.filter((failure) => failure === 'busy')).toHaveLength(30 - 1 - 16)
  })

  test('is asked for more pages by one caller than it can ever show, others have their turn', async () => {
    using pages = openPages({ '/holding': holding, '/held': never })
    await using renderer = rendererFor(executable, [pages.allowed])
    const stop = new AbortController()
    const greedy = { userId: 'greedy', signal: stop.signal, remainingMs: () => PATIENT_MS }
    const outcomes = Array.from({ length: 50 }, () => renderer.render(pages.urlOf('/holding'), greedy))
    await until(() => pages.asked.includes('/held'))
    using modest = budgetOf(PATIENT_MS, 'modest')
    expect(await renderer.render(pages.urlOf('/'), modest)).toHaveProperty('page.status', 200)
    stop.abort()
    const failures = (await Promise.all(outcomes)).map((outcome) => ('failure' in outcome ? outcome.failure : 'none'))
    expect(failures.filter((failure) => failure === 'busy')).toHaveLength(50 - 2 - 2 * 16)
  })
})

describeEachChromium('the keeper', (executable) => {
  const open = (options: { idleMs?: number; maxPages?: number }) => {
    const started: OpenBrowser[] = []
    const ended: { isUnexpected: boolean }[] = []
    const keeper = createBrowserSupervisor({
      open: () => openBrowser(executable, 9),
      onStart: (opened) => started.push(opened),
      onEnd: (_, isUnexpected) => ended.push({ isUnexpected }),
      ...options,
    })
    return { started, ended, keeper }
  }

  test('starts nothing before it is asked, and one for all who ask', async () => {
    const { started, keeper } = open({})
    await using _keeper = keeper
    expect(started).toHaveLength(0)
    const loans = await Promise.all([keeper.lease(), keeper.lease()])
    expect(started).toHaveLength(1)
    expect(loans[0]!.opened).toBe(loans[1]!.opened)
  })

  test('ends what nobody has used for a while', async () => {
    const { started, ended, keeper } = open({ idleMs: 50 })
    await using _keeper = keeper
    using loan = await keeper.lease()
    const { profile } = loan.opened.process!
    await Bun.sleep(150)
    expect(existsSync(profile)).toBe(true)
    loan[Symbol.dispose]()
    await until(() => !existsSync(profile) && ended.length === 1)
    expect(ended).toEqual([{ isUnexpected: false }])
    const again = await keeper.lease()
    expect(started).toHaveLength(2)
    again[Symbol.dispose]()
  })

  test('replaces one that is worn, once the last page on it is done', async () => {
    const { started, keeper } = open({ maxPages: 2 })
    await using _keeper = keeper
    const [first, second] = [await keeper.lease(), await keeper.lease()]
    const third = await keeper.lease()
    expect(started).toHaveLength(2)
    expect(third.opened).not.toBe(first.opened)
    first[Symbol.dispose]()
    expect(first.opened.browser.isConnected()).toBe(true)
    second[Symbol.dispose]()
    await until(() => !first.opened.browser.isConnected())
    third[Symbol.dispose]()
  })

  test('replaces one that is condemned', async () => {
    const { keeper } = open({})
    await using _keeper = keeper
    const loan = await keeper.lease()
    loan.discard()
    await until(() => !existsSync(loan.opened.process!.profile))
    expect((await keeper.lease()).opened).not.toBe(loan.opened)
  })
})
