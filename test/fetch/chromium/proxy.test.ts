import { describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'

import { parseAllowRule } from '../../../src/core/net/egress.ts'
import { DIRECT } from '../../../src/fetch/connection/dial.ts'
import { createGuard } from '../../../src/fetch/connection/guard.ts'
import { openProxy } from '../../../src/fetch/chromium/proxy.ts'
import type { TrafficLimits, PageAccess } from '../../../src/fetch/chromium/proxy-session.ts'
import { createResolver } from '../../../src/fetch/connection/resolver.ts'
import { openDnsServer, type Zone } from '../../origin/dns-server.ts'
import { responseBytes, openRawOrigin, writeForever, type Respond } from '../../origin/raw-origin.ts'
import { settingsOf } from '../../settings.ts'

/** A loopback address that a rule allows, in place of a public one. */
const OPEN = '127.0.0.1'

/** Another loopback address on the same port that no rule allows; connections to it are counted. */
const FORBIDDEN = '127.0.0.2'

const PLENTY: TrafficLimits = { requests: 100, bytes: 1024 * 1024, hosts: 100 }

const sayHi: Respond = (socket) => socket.end(responseBytes(200, { 'Content-Type': 'text/plain' }, 'hi'))

/** An origin on the allowed address, a canary on the forbidden one, and the proxy. */
async function openHarness(respond: Respond = sayHi, zone: Zone = {}) {
  await using stack = new AsyncDisposableStack()
  const origin = stack.use(await openRawOrigin(respond))
  const canary = stack.use(await openRawOrigin(sayHi, { host: FORBIDDEN, port: origin.port }))
  const dns = stack.use(await openDnsServer(zone))
  const resolver = stack.use(createResolver({ servers: [dns.address] }))
  const allow = [parseAllowRule(`${OPEN}:${origin.port}`)!]
  const proxy = stack.use(
    await openProxy({
      connector: DIRECT,
      guard: createGuard({ resolver, settings: settingsOf({ allow }), ownPorts: () => [] }),
    }),
  )
  const owned = stack.move()

  /** The response until the proxy closes the connection, or until `enough` bytes. */
  async function say(text: string, enough?: string): Promise<string> {
    const socket = connect(proxy.port, '127.0.0.1')
    const closed = once(socket, 'close')
    let received = ''
    const receivedEnough = new Promise<void>((resolve) =>
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1')
        if (enough !== undefined && received.includes(enough)) resolve()
      }),
    )
    socket.on('error', () => {})
    socket.write(text)
    await Promise.race([closed, receivedEnough])
    socket.destroy()
    return received
  }

  const credentials = ({ username, password }: Pick<PageAccess, 'username' | 'password'>) =>
    `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}\r\n`

  return {
    origin,
    canary,
    proxy,
    say,
    credentials,
    get: (host: string, pass: PageAccess, headers = '') =>
      say(
        `GET http://${host}:${origin.port}/a?b HTTP/1.1\r\nHost: ${host}:${origin.port}\r\n${credentials(pass)}` +
          `${headers}Connection: close\r\n\r\n`,
      ),
    tunnel: (host: string, pass: PageAccess, inside = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', enough?: string) =>
      say(`CONNECT ${host}:${origin.port} HTTP/1.1\r\n${credentials(pass)}\r\n${inside}`, enough),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

describe('authentication', () => {
  const guessed = '0'.repeat(32)
  test.each([
    ['a request without a password is refused', '', 407],
    ['a wrong password is refused', `Proxy-Authorization: Basic ${btoa(`page:${guessed}`)}\r\n`, 407],
    ['empty credentials are refused', 'Proxy-Authorization: Basic\r\n', 407],
    ['another scheme is refused', `Proxy-Authorization: Bearer ${guessed}\r\n`, 407],
  ])('%s', async (_, header, status) => {
    await using harness = await openHarness()
    const target = `${OPEN}:${harness.origin.port}`
    const plain = await harness.say(`GET http://${target}/ HTTP/1.1\r\nHost: a\r\n${header}Connection: close\r\n\r\n`)
    const tunnelled = await harness.say(`CONNECT ${target} HTTP/1.1\r\n${header}\r\n`)
    for (const answer of [plain, tunnelled]) {
      expect(answer).toStartWith(`HTTP/1.1 ${status} `)
      expect(answer).toContain('Proxy-Authenticate: Basic')
    }
    expect(harness.origin.connections()).toBe(0)
  })

  test('the password of a closed page is refused', async () => {
    await using harness = await openHarness()
    const pass = harness.proxy.grantAccess(PLENTY, false)
    expect(await harness.get(OPEN, pass)).toContain('hi')
    pass[Symbol.dispose]()
    expect(await harness.get(OPEN, pass)).toStartWith('HTTP/1.1 407 ')
  })

  test('two pages have different passwords', async () => {
    await using harness = await openHarness()
    const [one, two] = [harness.proxy.grantAccess(PLENTY, false), harness.proxy.grantAccess(PLENTY, false)]
    expect(one.password).toMatch(/^[0-9a-f]{32}$/)
    expect(one.password).not.toBe(two.password)
  })
})

describe('forwards', () => {
  test('a plain request, without the headers for the proxy', async () => {
    await using harness = await openHarness()
    using pass = harness.proxy.grantAccess(PLENTY, false)
    const answer = await harness.get(OPEN, pass, 'X-Mine: 1\r\nProxy-Connection: keep-alive\r\nX-Hop: 1\r\n')
    expect(answer).toStartWith('HTTP/1.1 200 ')
    expect(answer).toEndWith('hi')
    const [head = ''] = harness.origin.heads
    expect(head).toStartWith('GET /a?b HTTP/1.1\r\n')
    expect(head).toContain(`Host: ${OPEN}:${harness.origin.port}\r\n`)
    expect(head).toContain('X-Mine: 1\r\n')
    expect(head).not.toMatch(/proxy-/i)
  })

  test('nothing to a private host for a page that may only use public ones', async () => {
    await using harness = await openHarness()
    using pass = harness.proxy.grantAccess(PLENTY, true)
    expect(await harness.get(OPEN, pass)).toStartWith('HTTP/1.1 403 ')
    expect(harness.origin.connections()).toBe(0)
  })

  test('repeated headers separately, and none that Connection names', async () => {
    await using harness = await openHarness((socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: close, X-Secret\r\nX-Secret: 1\r\n' +
          'Content-Length: 2\r\n\r\nhi',
      ),
    )
    using pass = harness.proxy.grantAccess(PLENTY, false)
    const answer = await harness.get(OPEN, pass)
    expect(answer).toContain('Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n')
    expect(answer).not.toContain('X-Secret')
  })

  test('a body in both directions', async () => {
    await using harness = await openHarness((socket, head) => {
      const body = head.split('\r\n\r\n')[1] ?? ''
      socket.end(responseBytes(200, {}, `${body.length} bytes`))
    })
    using pass = harness.proxy.grantAccess(PLENTY, false)
    const answer = await harness.say(
      `POST http://${OPEN}:${harness.origin.port}/ HTTP/1.1\r\nHost: a\r\n${harness.credentials(pass)}` +
        'Content-Length: 5\r\nConnection: close\r\n\r\nhello',
    )
    expect(answer).toStartWith('HTTP/1.1 200 ')
    expect(pass.used.bytes).toBeGreaterThanOrEqual(5)
  })

  test('a tunnel', async () => {
    await using harness = await openHarness()
    using pass = harness.proxy.grantAccess(PLENTY, false)
    const answer = await harness.tunnel(OPEN, pass)
    expect(answer).toStartWith('HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 ')
    expect(answer).toEndWith('hi')
  })

  test('a request to a name that resolves to an allowed address', async () => {
    await using harness = await openHarness(sayHi, { 'site.test': () => ({ A: [OPEN] }) })
    using pass = harness.proxy.grantAccess(PLENTY, false)
    expect(await harness.get('site.test', pass)).toEndWith('hi')
    expect(harness.origin.heads[0]).toContain(`Host: site.test:${harness.origin.port}`)
  })
})

describe('refuses', () => {
  test.each([
    ['a forbidden address', FORBIDDEN],
    ['another spelling of the address', '2130706434'],
    ['an IPv6 form of the address', '[::ffff:127.0.0.2]'],
    ['a name that resolves to it', 'inside.test'],
    ['a name that resolves to it and to an allowed address', 'mixed.test'],
    ['the metadata service', '169.254.169.254'],
  ])('%s', async (_, host) => {
    await using harness = await openHarness(sayHi, {
      'inside.test': () => ({ A: [FORBIDDEN] }),
      'mixed.test': () => ({ A: [OPEN, FORBIDDEN] }),
    })
    using pass = harness.proxy.grantAccess(PLENTY, false)
    expect(await harness.get(host, pass)).toStartWith('HTTP/1.1 403 ')
    expect(await harness.tunnel(host, pass)).toStartWith('HTTP/1.1 403 ')
    expect(harness.canary.connections()).toBe(0)
    expect(harness.origin.connections()).toBe(0)
    expect(pass.used.refused.size).toBe(1)
  })

  test('a name that resolves to another address the second time', async () => {
    await using harness = await openHarness(sayHi, {
      'rebind.test': (count) => ({ A: [count === 0 ? OPEN : FORBIDDEN] }),
    })
    using pass = harness.proxy.grantAccess(PLENTY, false)
    expect(await harness.get('rebind.test', pass)).toEndWith('hi')
    for (let i = 0; i < 3; i++) expect(await harness.tunnel('rebind.test', pass)).toStartWith('HTTP/1.1 403 ')
    expect(harness.canary.connections()).toBe(0)
  })

  test.each([
    ['an https URL without a tunnel', 'GET https://127.0.0.1/ HTTP/1.1\r\n'],
    ['a path without a host', 'GET / HTTP/1.1\r\n'],
    ['a tunnel to an invalid port', 'CONNECT nowhere:port HTTP/1.1\r\n'],
  ])('%s', async (_, line) => {
    await using harness = await openHarness()
    using pass = harness.proxy.grantAccess(PLENTY, false)
    const answer = await harness.say(`${line}Host: a\r\n${harness.credentials(pass)}Connection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('a server that does not listen', async () => {
    await using harness = await openHarness()
    using pass = harness.proxy.grantAccess(PLENTY, false)
    await harness.origin[Symbol.asyncDispose]()
    expect(await harness.get(OPEN, pass)).toStartWith('HTTP/1.1 502 ')
    expect(await harness.tunnel(OPEN, pass)).toBe('')
  })
})

describe('limits of a page', () => {
  test('requests', async () => {
    await using harness = await openHarness()
    using pass = harness.proxy.grantAccess({ ...PLENTY, requests: 2 }, false)
    expect(await harness.get(OPEN, pass)).toEndWith('hi')
    expect(await harness.tunnel(OPEN, pass)).toEndWith('hi')
    expect(await harness.get(OPEN, pass)).toStartWith('HTTP/1.1 502 ')
    expect(harness.origin.connections()).toBe(2)
    expect(pass.signal.reason).toMatchObject({ message: 'proxy access ended: requests' })
  })

  test('hosts', async () => {
    const zone: Zone = {
      'a.test': () => ({ A: [OPEN] }),
      'b.test': () => ({ A: [OPEN] }),
      'c.test': () => ({ A: [OPEN] }),
    }
    await using harness = await openHarness(sayHi, zone)
    using pass = harness.proxy.grantAccess({ ...PLENTY, hosts: 2 }, false)
    for (const host of ['a.test', 'b.test', 'a.test']) expect(await harness.get(host, pass)).toEndWith('hi')
    expect(await harness.get('c.test', pass)).toStartWith('HTTP/1.1 502 ')
    expect(pass.signal.reason).toMatchObject({ message: 'proxy access ended: hosts' })
  })

  test('bytes of an endless response', async () => {
    await using harness = await openHarness((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      writeForever(socket, 'x'.repeat(16_384))
    })
    using pass = harness.proxy.grantAccess({ ...PLENTY, bytes: 100_000 }, false)
    const answer = await harness.get(OPEN, pass)
    expect(answer.length).toBeLessThan(2 * 100_000)
    expect(pass.signal.reason).toMatchObject({ message: 'proxy access ended: bytes' })
  })

  test('bytes of an endless tunnel', async () => {
    await using harness = await openHarness((socket) => writeForever(socket, 'x'.repeat(16_384)))
    using pass = harness.proxy.grantAccess({ ...PLENTY, bytes: 100_000 }, false)
    await harness.tunnel(OPEN, pass)
    expect(pass.signal.reason).toMatchObject({ message: 'proxy access ended: bytes' })
  })

  test('closing the page ends its connections', async () => {
    await using harness = await openHarness((socket) => void socket.write('still here'))
    const pass = harness.proxy.grantAccess(PLENTY, false)
    let isCut = false
    const tunnel = harness.tunnel(OPEN, pass).then(() => (isCut = true))
    while (pass.used.bytes < 'still here'.length) await Bun.sleep(1)
    expect(isCut).toBe(false)
    pass[Symbol.dispose]()
    await tunnel
  })
})
