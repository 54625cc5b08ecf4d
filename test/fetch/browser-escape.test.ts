import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createSocket, type Socket as UdpSocket } from 'node:dgram'

import { parseEgressProxy } from '../../src/core/net/egress-proxy.ts'
import type { ChromiumSource } from '../../src/fetch/chromium/engine.ts'
import { openTestProxy } from '../origin/egress-proxy.ts'
import { openDnsServer, type DnsServer } from '../origin/dns-server.ts'
import { responseBytes, openRawOrigin, type RawOrigin } from '../origin/raw-origin.ts'
import { chromium, describeChromium, describeEachChromium, isPreferred } from '../requirements.ts'
import { typicalCases, whenTypical } from '../thorough.ts'
import { groupsOf, groupedRuns } from '../grouped-runs.ts'
import { budgetOf } from './budget.ts'
import { startRemoteChromium } from './remote-chromium.ts'
import { until } from './processes.ts'
import { rendererFor } from './renderer-for.ts'
import { PATIENT_BROWSER_MS, PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

/** A loopback address that a rule allows, in place of a public one. */
const OPEN = '127.0.0.1'

/** Another loopback address, which no rule allows. Connections to it on any listening port are counted. */
const FORBIDDEN = '127.0.0.2'

/** The time a page has before it reports that it is done, and the additional time for each way in it. */
const BUSY_MS = 600
const WAY_MS = 20

/** The renderer's longest wait for a page without changes. */
const LONGEST_BUSY_MS = 2_000

/** All ways in which a page can reach a server. `to` is an origin, `host` its `host:port`. */
const WAYS: Readonly<Record<string, (to: string, host: string) => string>> = {
  fetch: (to) => `fetch('${to}/fetch', { mode: 'no-cors' })`,
  XHR: (to) => `const x = new XMLHttpRequest(); x.open('GET', '${to}/xhr'); x.send()`,
  'synchronous XHR': (to) => `const x = new XMLHttpRequest(); x.open('GET', '${to}/xhr', false); x.send()`,
  beacon: (to) => `navigator.sendBeacon('${to}/beacon', 'x')`,
  iframe: (to) => `add('iframe', { src: '${to}/iframe' })`,
  'iframe in srcdoc': (to) => `add('iframe', { srcdoc: '<iframe src="${to}/srcdoc"></iframe>' })`,
  object: (to) => `add('object', { data: '${to}/object' })`,
  embed: (to) => `add('embed', { src: '${to}/embed' })`,
  image: (to) => `add('img', { src: '${to}/image' })`,
  video: (to) => `add('video', { src: '${to}/video', autoplay: true })`,
  script: (to) => `add('script', { src: '${to}/script' })`,
  module: (to) => `import('${to}/module')`,
  'style sheet': (to) => `add('link', { rel: 'stylesheet', href: '${to}/style' })`,
  'imported style sheet': (to) =>
    `add('style', { textContent: '@import "${to}/import"; @font-face { src: url(${to}/f) }' })`,
  prefetch: (to) => `add('link', { rel: 'prefetch', href: '${to}/prefetch' })`,
  preconnect: (to) =>
    `add('link', { rel: 'preconnect', href: '${to}' }); add('link', { rel: 'dns-prefetch', href: '${to}' })`,
  'modulepreload and preload': (to) =>
    `add('link', { rel: 'modulepreload', href: '${to}/m' }); add('link', { rel: 'preload', as: 'fetch', href: '${to}/p' })`,
  'speculation rules': (to) =>
    `add('script', { type: 'speculationrules', textContent: JSON.stringify({
       prefetch: [{ source: 'list', urls: ['${to}/prefetch'], eagerness: 'immediate' }],
       prerender: [{ source: 'list', urls: ['${to}/prerender'], eagerness: 'immediate' }] }) })`,
  manifest: (to) => `add('link', { rel: 'manifest', href: '${to}/manifest' })`,
  WebSocket: (_, host) => `new WebSocket('ws://${host}/socket')`,
  'WebSocket in a worker': (_, host) => `inWorker("new WebSocket('ws://${host}/socket')")`,
  EventSource: (to) => `new EventSource('${to}/events')`,
  'fetch in a worker': (to) => `inWorker("fetch('${to}/worker', { mode: 'no-cors' })")`,
  'fetch in a shared worker': (to) =>
    `new SharedWorker(URL.createObjectURL(new Blob(["fetch('${to}/shared', { mode: 'no-cors' })"])))`,
  'service worker': (to) => `navigator.serviceWorker?.register('/worker.js?to=${to}')`,
  WebRTC: (_, host) =>
    `const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${host}' },
       { urls: ['turn:${host}?transport=udp', 'turn:${host}?transport=tcp'], username: 'a', credential: 'b' }] })
     peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`,
  'WebRTC of a new frame': (_, host) =>
    `const { contentWindow } = add('iframe', {})
     const peer = new contentWindow.RTCPeerConnection({ iceServers: [{ urls: 'stun:${host}' }] })
     peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`,
  'WebRTC of a frame in srcdoc': (_, host) =>
    `add('iframe', { srcdoc: \`<script>const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${host}' }] })
     peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))<\\/script>\` })`,
  'WebRTC of a new window': (_, host) =>
    `const peer = new (open('about:blank').RTCPeerConnection)({ iceServers: [{ urls: 'stun:${host}' }] })
     peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`,
  'WebTransport in a worker': (_, host) => `inWorker("new WebTransport('https://${host}/transport')")`,
  WebTransport: (_, host) => `new WebTransport('https://${host}/transport')`,
  'window.open': (to) => `open('${to}/open')`,
  'a link to a new window': (to) => `add('a', { href: '${to}/blank', target: '_blank' }).click()`,
  download: (to) => `add('a', { href: '${to}/download', download: 'x' }).click()`,
  ping: (to) => `add('a', { href: '#x', ping: '${to}/ping' }).click()`,
  location: (to) => `setTimeout(() => { location = '${to}/location' }, 50)`,
  refresh: (to) => `add('meta', { httpEquiv: 'refresh', content: '0; url=${to}/refresh' })`,
  'form post': (to) => `add('form', { method: 'post', action: '${to}/form' }).submit()`,
  'form into a frame': (to) =>
    `add('iframe', { name: 'f' }); add('form', { method: 'post', action: '${to}/form', target: 'f' }).submit()`,
  'redirect of a fetch': (to) => `fetch('/redirect?to=${to}/redirected', { mode: 'no-cors' })`,
  'redirect of a navigation': (to) => `location = '/redirect?to=${to}/redirected'`,
  'redirect of a frame': (to) => `add('iframe', { src: '/redirect?to=${to}/redirected' })`,
  'CSP report': (to) => `add('iframe', { src: '/policy?to=${to}/report' })`,
  'payment and credentials': (to) =>
    `new PaymentRequest([{ supportedMethods: '${to}/pay' }], { total: { label: 'x', amount: { currency: 'EUR', value: '1' } } })
       .canMakePayment()`,
}

/** Ways that leave the page. Each gets its own page. */
const ALONE: readonly string[] = ['location', 'refresh', 'form post', 'redirect of a navigation']

/** Ways that open another page. On the page of the other ways, they would cut off the late ones. */
const OPENING: readonly string[] = ['window.open', 'a link to a new window', 'download']

/** The other ways share pages, because a page takes a second of CPU time in the full Chromium. */
const WAYS_PER_PAGE = 19

/** Groups of ways that share a page. */
function pagesOf(ways: readonly string[]): string[][] {
  const opening = ways.filter((name) => OPENING.includes(name))
  const alone = ways.filter((name) => ALONE.includes(name))
  const together = ways.filter((name) => !opening.includes(name) && !alone.includes(name))
  return [...groupsOf(together, WAYS_PER_PAGE), ...groupsOf(opening, OPENING.length), ...alone.map((name) => [name])]
}

/** Ways that work when the server is allowed. The others are refused because of the type of resource. */
const OPEN_WAYS: readonly string[] = [
  'fetch',
  'XHR',
  'synchronous XHR',
  'iframe',
  'script',
  'module',
  'WebSocket',
  'WebSocket in a worker',
  'fetch in a worker',
  'location',
  'form post',
  'redirect of a fetch',
  'redirect of a navigation',
]

/** A spelling of a host that no rule allows. */
interface Spelling {
  name: string
  host: string
  /** The host as Chromium requests it. */
  requested: string
  /** That of the canary by default. */
  port?: number
}

/** All on one page. The ports of spellings of one host differ, so the report shows whether each was requested. */
const SPELLINGS: readonly Spelling[] = [
  { name: 'decimal', host: '2130706434', requested: FORBIDDEN },
  { name: 'hexadecimal', host: '0x7f.2', requested: FORBIDDEN, port: 81 },
  { name: 'short', host: '127.2', requested: FORBIDDEN, port: 82 },
  { name: 'IPv4 in IPv6', host: '[::ffff:7f00:2]', requested: '[::ffff:7f00:2]' },
  { name: 'any address', host: '0.0.0.0', requested: '0.0.0.0' },
  { name: 'a name', host: 'inside.test', requested: 'inside.test' },
  { name: 'localhost', host: 'localhost', requested: 'localhost', port: 81 },
  { name: 'a name below localhost', host: 'a.localhost', requested: 'a.localhost', port: 81 },
]

/** Ways to read files and pages of the browser. All on one page, since none of them leaves it; the last ones wait. */
const LOCAL_WAYS: Readonly<Record<string, string>> = {
  fetch: `fetch('file:///etc/passwd')`,
  iframe: `add('iframe', { src: 'file:///etc/passwd' })`,
  'window.open': `open('file:///etc/passwd')`,
  location: `location = 'file:///etc/passwd'`,
  'view-source': `setTimeout(() => { location = 'view-source:file:///etc/passwd' }, 100)`,
  'a settings page': `setTimeout(() => { location = 'chrome://settings' }, 200)`,
}

const busyMsFor = (ways: readonly string[]) => BUSY_MS + ways.length * WAY_MS

const pageOf = (ways: readonly string[], busyMs = busyMsFor(ways)) => `<!doctype html><title>x</title><body><script>
  const add = (name, properties) => {
    const element = Object.assign(document.createElement(name), properties)
    document.body.append(element)
    return element
  }
  const inWorker = (code) => new Worker(URL.createObjectURL(new Blob([code])))
  setTimeout(() => {
    document.head.innerHTML = '<meta property="og:title" content="Done">'
  }, ${busyMs})
  ${ways.map((way) => `;(async () => { ${way} })()`).join('\n')}
</script>`

/**
 * By default, only the Chromium that the service starts gets the ways that leave a page, each on a page of its own, and other
 * spellings of addresses.
 * @param start starts the Chromium that renders the pages
 */
function escapeTests(isUsual: boolean, start: () => Promise<{ source: ChromiumSource } & AsyncDisposable>): void {
  const ways = typicalCases(Object.keys(WAYS), (name) => isUsual || !ALONE.includes(name))
  const openWays = typicalCases(OPEN_WAYS, (name) => isUsual || !ALONE.includes(name))
  let browser: Awaited<ReturnType<typeof start>>
  const pages: string[] = []
  let origin: RawOrigin
  let canary: RawOrigin
  let dns: DnsServer
  let datagrams = 0
  let udp: UdpSocket
  let renderer: ReturnType<typeof rendererFor>
  const secret = 'what only the inner network knows'

  beforeAll(async () => {
    origin = await openRawOrigin((socket, head) => {
      const [, path = ''] = head.split(' ', 2)
      const to = new URLSearchParams(path.split('?')[1]).get('to') ?? ''
      if (path.startsWith('/page/')) {
        socket.end(
          responseBytes(200, { 'Content-Type': 'text/html' }, pages[Number(path.slice('/page/'.length))] ?? ''),
        )
      } else if (path.startsWith('/redirect?')) socket.end(responseBytes(302, { Location: to }))
      else if (path.startsWith('/worker.js')) {
        socket.end(
          responseBytes(200, { 'Content-Type': 'text/javascript' }, `fetch('${to}/service', { mode: 'no-cors' })`),
        )
      } else if (path.startsWith('/policy')) {
        const headers = {
          'Content-Type': 'text/html',
          'Content-Security-Policy': `script-src 'none'; report-uri ${to}`,
        }
        socket.end(responseBytes(200, headers, '<script>1</script>'))
      } else socket.end(responseBytes(200, { 'Content-Type': 'text/html', 'Access-Control-Allow-Origin': '*' }, 'fine'))
    })
    canary = await openRawOrigin((socket) => socket.end(responseBytes(200, { 'Content-Type': 'text/html' }, secret)), {
      host: FORBIDDEN,
      port: origin.port,
    })
    udp = createSocket('udp4')
    udp.on('message', () => datagrams++)
    await new Promise<void>((resolve) => udp.bind(origin.port, FORBIDDEN, () => resolve()))
    dns = await openDnsServer({
      ...Object.fromEntries(OPEN_WAYS.map((_, i) => [`way${i}.test`, () => ({ A: [OPEN] })])),
      'inside.test': () => ({ A: [FORBIDDEN] }),
      'rebind.test': (count) => ({ A: [count === 0 ? OPEN : FORBIDDEN] }),
    })
    browser = await start()
    renderer = rendererFor(browser.source, [`${OPEN}:${origin.port}`], { dnsServers: [dns.address], concurrency: 4 })
  })
  afterAll(async () => {
    await renderer[Symbol.asyncDispose]()
    await browser[Symbol.asyncDispose]()
    await Promise.all([origin, canary, dns].map((one) => one[Symbol.asyncDispose]()))
    udp.close()
  })

  async function render(html: string, host = OPEN) {
    const path = `/page/${pages.push(html) - 1}`
    using budget = budgetOf(PATIENT_BROWSER_MS)
    const outcome = await renderer.render(new URL(`http://${host}:${origin.port}${path}`), budget)
    expect(origin.heads.filter((head) => head.startsWith(`GET ${path} `))).not.toBeEmpty()
    return outcome
  }
  // The first line of a request shows the way.
  const expectNoHit = () =>
    expect({ heads: canary.heads, connections: canary.connections(), datagrams }).toEqual({
      heads: [],
      connections: 0,
      datagrams: 0,
    })

  const renderForbidden = groupedRuns(pagesOf(ways), (names) => {
    const host = `${FORBIDDEN}:${origin.port}`
    return render(pageOf(names.map((name) => WAYS[name]!(`http://${host}`, host))))
  })
  test.concurrent.each(ways)('%s: no hit', async (name) => {
    const outcome = await renderForbidden(name)
    expectNoHit()
    const html = 'page' in outcome ? new TextDecoder().decode(outcome.page.bytes) : ''
    expect(html).not.toContain(secret)
    // A page that failed to load would show nothing, either.
    if (ALONE.includes(name)) {
      expect(outcome.report.refused.map(({ destination }) => destination)).toContain(`${FORBIDDEN}:${origin.port}`)
    } else if (!OPENING.includes(name)) {
      expect(html).toContain('</script>')
    }
  })

  const hostOf = (name: string) => `way${OPEN_WAYS.indexOf(name)}.test:${origin.port}`
  const isHit = (name: string) => origin.heads.some((head) => head.includes(`Host: ${hostOf(name)}\r\n`))
  const renderAllowed = groupedRuns(pagesOf(openWays), async (names) => {
    // A busy machine may start a worker too late, so the ways are retried with more time.
    for (let busyMs = busyMsFor(names); !names.every(isHit) && busyMs <= LONGEST_BUSY_MS; busyMs *= 1.5) {
      const scripts = names.map((name) => WAYS[name]!(`http://${hostOf(name)}`, hostOf(name)))
      await render(pageOf(scripts, busyMs))
    }
  })
  test.concurrent.each(openWays)('%s: a hit at an allowed server', async (name) => {
    await renderAllowed(name)
    expect(isHit(name)).toBe(true)
  })

  whenTypical(isUsual, () => {
    const portOf = ({ port = origin.port }: Spelling) => port
    const renderSpellings = groupedRuns([SPELLINGS], async (spellings) => {
      const fetches = spellings.map((one) => `fetch('http://${one.host}:${portOf(one)}/', { mode: 'no-cors' })`)
      const outcome = await render(pageOf(fetches))
      if ('failure' in outcome) throw new Error(outcome.failure)
      return outcome.report.refused.map(({ destination }) => destination)
    })
    test.concurrent.each(SPELLINGS.map((spelling) => [spelling.name, spelling] as const))(
      'in another spelling, %s: no hit',
      async (_, spelling) => {
        const refused = await renderSpellings(spelling)
        expectNoHit()
        expect(refused).toContain(`${spelling.requested}:${portOf(spelling)}`)
        expect(refused).toHaveLength(SPELLINGS.length)
      },
    )
  })

  test('by a name whose address changes: no request', async () => {
    const way = `for (let i = 0; i < 3; i++) await fetch('/again' + i).catch(() => {}); location = '/again'`
    const { report } = await render(pageOf([way]), 'rebind.test')
    expectNoHit()
    expect(report.refused.map(({ destination }) => destination)).toContain(`rebind.test:${origin.port}`)
  })

  const renderLocal = groupedRuns([Object.values(LOCAL_WAYS)], (scripts) => render(pageOf(scripts)))
  test.concurrent.each(Object.entries(LOCAL_WAYS))('files and pages of the browser, %s: nothing', async (_, way) => {
    const outcome = await renderLocal(way)
    if ('failure' in outcome) throw new Error(outcome.failure)
    expect(outcome.page.url.protocol).toBe('http:')
    const html = new TextDecoder().decode(outcome.page.bytes)
    expect(html).toContain('content="Done"')
    expect(html).not.toContain('root:')
  })

  test('the canary reports requests and datagrams', async () => {
    await fetch(`http://${FORBIDDEN}:${origin.port}/`)
    expect(canary.connections()).toBe(1)
    const sender = createSocket('udp4')
    try {
      sender.send('x', origin.port, FORBIDDEN)
      await until(() => datagrams > 0)
      expect(datagrams).toBe(1)
    } finally {
      sender.close()
    }
  })
}

describeEachChromium('a page that tries to reach a forbidden server', (executable) => {
  escapeTests(isPreferred(executable), async () => ({ source: { executable }, [Symbol.asyncDispose]: async () => {} }))
})

describeChromium('a page that tries to reach a forbidden server, in a Chromium on another machine', () => {
  escapeTests(false, () => startRemoteChromium(chromium!))
})

describeEachChromium('with an egress proxy', (executable) => {
  test('a page uses it with checked addresses, and makes no other connections', async () => {
    const page = `<title>x</title><script>
      document.head.innerHTML = '<meta property="og:title" content="Made by a script">'
    </script>`
    await using site = await openRawOrigin((socket) =>
      socket.end(responseBytes(200, { 'Content-Type': 'text/html' }, page)),
    )
    await using dns = await openDnsServer({ 'site.test': () => ({ A: [OPEN] }) })
    await using proxy = await openTestProxy({ kind: 'http', credentials: 'user:secret' })
    await using renderer = rendererFor(executable, [`${OPEN}:${site.port}`], {
      dnsServers: [dns.address],
      egressProxy: { proxy: parseEgressProxy(`http://user:secret@127.0.0.1:${proxy.port}`)!, exceptions: [] },
    })
    using budget = budgetOf(PATIENT_BROWSER_MS)
    const outcome = await renderer.render(new URL(`http://site.test:${site.port}/`), budget)
    expect(outcome).toHaveProperty('page.status', 200)
    expect(new Set(proxy.destinations)).toEqual(new Set([`${OPEN}:${site.port}`]))
    expect(site.connections()).toBe(proxy.destinations.length)
    expect(site.heads.join('\n')).not.toMatch(/proxy-authorization/i)
  })
})
