import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'

import { MIN_HEADLESS_MS } from '../../src/core/fetch/method.ts'
import type { RemoteChromium } from '../../src/core/net/remote-chromium.ts'
import { openUntrustedServer } from '../origin/untrusted-server.ts'
import { freePort } from '../free-port.ts'
import { chromium, describeChromium } from '../requirements.ts'
import { isThorough } from '../thorough.ts'
import { budgetOf } from './budget.ts'
import { startRemoteChromium, type RemoteBrowser } from './remote-chromium.ts'
import { rendererFor } from './renderer-for.ts'
import { PATIENT_BROWSER_MS, PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const SCRIPT = `document.head.innerHTML = '<title>by a script</title><meta property="og:title" content="x">'`
const site = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  maxRequestBodySize: 1024 ** 3,
  fetch: (request) =>
    new Response(
      `<title>as sent</title><script>${new URL(request.url).searchParams.get('way') ?? ''};${SCRIPT}</script>`,
      { headers: { 'content-type': 'text/html' } },
    ),
})
afterAll(() => site.stop(true))

/** A renderer and the errors of its browser. */
function watched(source: RemoteChromium) {
  const errors: string[] = []
  const inspected: string[] = []
  const onError = (error: unknown) => {
    errors.push(String(error))
    inspected.push(Bun.inspect(error))
  }
  const renderer = rendererFor(source, [`127.0.0.1:${site.port}`], { onError })
  return {
    errors,
    /** The same with their causes and properties, as a log may show them. */
    inspected,
    /** @param way a script that the page runs first */
    async title(timeoutMs = PATIENT_BROWSER_MS, way = '') {
      using budget = budgetOf(timeoutMs)
      const outcome = await renderer.render(
        new URL(`http://127.0.0.1:${site.port}/?way=${encodeURIComponent(way)}`),
        budget,
      )
      if ('failure' in outcome) return outcome.failure
      return /<title>(.*?)<\/title>/.exec(new TextDecoder().decode(outcome.page.bytes))?.[1]
    },
    [Symbol.asyncDispose]: () => renderer[Symbol.asyncDispose](),
  }
}

/** With a proxy on a free port. */
function sourceAt(url: string): RemoteChromium {
  const port = freePort()
  return { url, listen: { host: '127.0.0.1', port }, proxy: `127.0.0.1:${port}` }
}

describeChromium('a remote Chromium', () => {
  let remote: RemoteBrowser
  beforeAll(async () => void (remote = await startRemoteChromium(chromium!)))
  afterAll(() => remote[Symbol.asyncDispose]())

  test.each([
    ['ws:// of the browser', () => remote.ws],
    ['http:// of its DevTools', () => remote.http],
  ])('renders by %s, and leaves no pages open', async (_, urlOf) => {
    const pagesOpen = async () => ((await (await fetch(`${remote.http}/json/list`)).json()) as unknown[]).length
    const before = await pagesOpen()
    {
      await using place = watched(sourceAt(urlOf()))
      expect(await Promise.all([place.title(), place.title()])).toEqual(['by a script', 'by a script'])
      expect(place.errors).toEqual([])
    }
    expect(await pagesOpen()).toBe(before)
  })

  test('renders for two processes at the same time', async () => {
    await using first = watched(sourceAt(remote.http))
    await using second = watched(sourceAt(remote.http))
    const titles = await Promise.all([first, second, first, second].map((place) => place.title()))
    expect(titles).toEqual(Array(4).fill('by a script'))
  })

  test('a page that another client closes has crashed, and the next one works', async () => {
    await using place = watched(sourceAt(remote.http))
    // Without metadata, the page is waited for.
    const title = place.title(PATIENT_BROWSER_MS, 'throw 0')
    const findPage = async () => {
      const pages = (await (await fetch(`${remote.http}/json/list`)).json()) as { id: string; title: string }[]
      return pages.find(({ title: shown }) => shown === 'as sent')
    }
    let page: Awaited<ReturnType<typeof findPage>>
    while ((page = await findPage()) === undefined) await Bun.sleep(10)
    await fetch(`${remote.http}/json/close/${page.id}`)
    expect(await title).toBe('crashed')
    expect(await place.title()).toBe('by a script')
  })

  test('the proxy refuses requests without the credentials of a page', async () => {
    const source = sourceAt(remote.http)
    await using place = watched(source)
    await place.title()
    const response = await fetch(`http://127.0.0.1:${site.port}/`, { proxy: `http://${source.proxy}` })
    expect(response.status).toBe(407)
  })

  test('an upload over the message limit does not interrupt other pages', async () => {
    await using place = watched(sourceAt(remote.http))
    // A WebSocket client of Bun would close the connection for a message over 128 MB, which twice four times 16 MB are;
    // 1 MB is more than an event may have.
    const megabytes = isThorough ? 16 : 1
    const upload = `const part = 'x'.repeat(${megabytes} * 1024 * 1024)
      fetch('/', { method: 'POST', body: part + part + part + part }).catch(() => {})`
    const titles = Promise.all([place.title(), place.title(PATIENT_BROWSER_MS, upload), place.title()])
    expect(await titles).toEqual(['by a script', 'by a script', 'by a script'])
    expect(place.errors).toEqual([])
  })

  test('a port in use: the page is not rendered, and the reason is reported', async () => {
    const source = sourceAt(remote.http)
    using _taken = Bun.listen({ hostname: '127.0.0.1', port: source.listen.port, socket: { data() {} } })
    await using place = watched(source)
    expect(await place.title()).toBe('not_started')
    expect(place.errors).toEqual([expect.stringContaining(`port ${source.listen.port} in use`)])
  })

  test('one that is killed and restarted is used again', async () => {
    const port = freePort()
    await using killed = await startRemoteChromium(chromium!, port)
    await using place = watched(sourceAt(killed.http))
    expect(await place.title()).toBe('by a script')
    await killed.kill()
    expect(await place.title()).toBe('not_started')
    expect(place.errors.join()).toContain('no connection to the Chromium at')
    await using _again = await startRemoteChromium(chromium!, port)
    // It is not tried for a second or two after several failures.
    let title: string | undefined
    const endMs = performance.now() + PATIENT_BROWSER_MS / 2
    while (title !== 'by a script' && performance.now() < endMs) {
      title = await place.title()
      await Bun.sleep(50)
    }
    expect(title).toBe('by a script')
  })
})

describeChromium('not a Chromium', () => {
  const answering = (answer: (request: Request, server: Bun.Server<undefined>) => Response | undefined) =>
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: answer,
      websocket: { message: (socket) => void socket.send('{"this is":"no DevTools message"}') },
    })

  test.each<[name: string, scheme: string, answer: Parameters<typeof answering>[0], expected: RegExp]>([
    ['a web server', 'http', () => new Response('no', { status: 404 }), /HTTP 404 at \/json\/version/],
    ['one that refuses the token', 'ws', () => new Response('no', { status: 401 }), /HTTP 401/],
    ['JSON of something else', 'http', () => Response.json({ name: 'x' }), /no webSocketDebuggerUrl/],
    ['no JSON', 'http', () => new Response('<html>'), /JSON/],
    ['a redirect', 'http', () => Response.redirect('http://127.0.0.1:9/', 302), /HTTP 302 at/],
    [
      'a WebSocket with another protocol',
      'ws',
      (request, server) => (server.upgrade(request) ? undefined : new Response('no')),
      /no connection to the Chromium/,
    ],
  ])('%s: not rendered, and the reason is reported without the token', async (_, scheme, answer, expected) => {
    await using server = answering(answer)
    await using place = watched(sourceAt(`${scheme}://127.0.0.1:${server.port}/?token=s3cret`))
    expect(await place.title(10_000)).toBe('not_started')
    expect(place.errors[0]).toMatch(expected)
    expect(place.inspected.join()).not.toContain('s3cret')
  })

  test('a certificate that is not trusted: nothing is sent', async () => {
    using server = await openUntrustedServer()
    await using place = watched(sourceAt(`wss://127.0.0.1:${server.port}/?token=s3cret`))
    expect(await place.title(10_000)).toBe('not_started')
    expect(place.errors[0]).toMatch(/certificate/i)
    expect(server.receivedBytes()).toBe(0)
  })

  test('one that accepts connections and never responds: the page ends at its deadline', async () => {
    using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    await using place = watched(sourceAt(`ws://127.0.0.1:${silent.port}/`))
    expect(await place.title(MIN_HEADLESS_MS + 100)).toBe('out_of_time')
  })
})
