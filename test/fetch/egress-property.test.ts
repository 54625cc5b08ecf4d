import { describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import * as fc from 'fast-check'

import { classifyAddress, parseAddress } from '../../src/core/net/address.ts'
import { parseEgressProxy } from '../../src/core/net/egress-proxy.ts'
import { literalAddress, parseAllowRule } from '../../src/core/net/egress.ts'
import { FetchError } from '../../src/core/errors.ts'
import { isLoopbackName, LOOPBACK_ADDRESSES } from '../../src/core/net/local-name.ts'
import { redirectTarget } from '../../src/core/net/redirect.ts'
import { parseTargetUrl } from '../../src/core/net/url.ts'
import { createConnections } from '../../src/fetch/connection/connections.ts'
import { createConnector } from '../../src/fetch/connection/connector.ts'
import type { Connector } from '../../src/fetch/connection/dial.ts'
import { createGuard } from '../../src/fetch/connection/guard.ts'
import { startRedirectChain, followRedirects } from '../../src/fetch/connection/redirects.ts'
import type { HostResolver } from '../../src/fetch/connection/resolver.ts'
import { createSlots } from '../../src/fetch/connection/slots.ts'
import { createRequester } from '../../src/fetch/connection/requester.ts'
import { randomRuns } from '../random-runs.ts'
import { formatAddress } from '../../src/core/net/address.ts'
import { settingsOf } from '../settings.ts'

const PROXY_ADDRESS = '10.9.9.9'
const PROXY = { proxy: parseEgressProxy(`http://${PROXY_ADDRESS}:3128`)!, exceptions: [] }

/** A connection to a server that responds to one request. */
function connectionTo(response: (head: string) => string): Socket {
  const stream: Duplex = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      stream.push(response(chunk.toString('latin1')))
      done()
    },
  })
  return Object.assign(stream, { setKeepAlive() {}, setNoDelay() {}, setTimeout() {} }) as unknown as Socket
}

/** The complete path from a caller's text to the socket, with a hostile resolver and a network that only records. */
function openHarness(allow: readonly string[], answers: readonly string[], throughProxy = false) {
  const dialed: string[] = []
  /** Addresses of connections that are not to the proxy. */
  const bypassed: string[] = []
  const direct: Connector = {
    attemptMs: () => 1_000,
    async open({ address }) {
      dialed.push(address)
      throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    },
  }
  /** A connection to a proxy that refuses every tunnel. */
  const proxied: Connector = {
    attemptMs: () => 1_000,
    async open({ address }) {
      if (address !== PROXY_ADDRESS) bypassed.push(address)
      return connectionTo((head) => {
        dialed.push(/^CONNECT \[?([^\]]+?)\]?:\d+ /.exec(head)?.[1] ?? head)
        return 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'
      })
    },
  }
  const resolver: HostResolver = {
    async resolve(host) {
      const literal = literalAddress(host)
      if (literal !== null) return { addresses: [formatAddress(literal)], by: 'literal' }
      if (isLoopbackName(host)) return { addresses: LOOPBACK_ADDRESSES, by: 'loopback name' }
      return { addresses: answers, by: 'dns' }
    },
  }
  const rules = allow.flatMap((text) => parseAllowRule(text) ?? [])
  const send = createRequester({
    guard: createGuard({ resolver, settings: settingsOf({ allow: rules }), ownPorts: () => [3000] }),
    slots: createSlots({ total: 1 }),
    connections: createConnections(),
    limitsOf: () => [],
    issuers: null,
    connector: throughProxy
      ? createConnector({ egressProxy: PROXY, settings: settingsOf(), resolver, direct: proxied })
      : direct,
  })
  const go = async (url: URL) => {
    const { signal } = new AbortController()
    const chain = startRedirectChain({
      send,
      signal,
      caller: null,
      trace: { hops: [] },
      userAgent: '',
      sites: [],
      redirectsLeft: 0,
    })
    await followRedirects(chain, url, 'caller', async () => null).catch((error: unknown) => {
      // No input causes an internal error.
      if (!(error instanceof FetchError)) throw error
    })
  }
  return {
    dialed,
    bypassed,
    async ask(text: string) {
      const target = parseTargetUrl(text, rules)
      if ('url' in target) await go(target.url)
    },
    async redirect(text: string) {
      const target = redirectTarget(text, new URL('http://from.test/'))
      if (target !== 'invalid') await go(target.next)
    },
  }
}

const byte = fc.integer({ min: 0, max: 255 })

/** Random addresses with more loopback, private and similar ones than by chance. */
const octets = fc.oneof(
  fc.constantFrom([127, 0, 0, 1], [10, 0, 0, 1], [169, 254, 169, 254], [192, 168, 0, 1], [100, 64, 0, 1], [0, 0, 0, 0]),
  fc.tuple(fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 240, 255), byte, byte, byte),
  fc.tuple(byte, byte, byte, byte),
)

/** A number in decimal, octal or hexadecimal, as the WHATWG IPv4 parser accepts it. */
const inSomeBase = (value: number) =>
  fc.constantFrom(
    String(value),
    `0x${value.toString(16)}`,
    `0X${value.toString(16).toUpperCase()}`,
    `0${value.toString(8)}`,
  )

const ipv4Spelling = octets.chain(([a = 0, b = 0, c = 0, d = 0]) =>
  fc
    .constantFrom(
      [a, b, c, d],
      [a, b, c * 256 + d],
      [a, (b * 256 + c) * 256 + d],
      [((a * 256 + b) * 256 + c) * 256 + d],
    )
    .chain((parts) => fc.tuple(...parts.map(inSomeBase)))
    .chain((parts) => fc.constantFrom('.', '。', '．', '%2e').map((dot) => parts.join(dot)))
    .chain((host) =>
      fc.constantFrom(host, `${host}.`, fullWidth(host), percentEncoded(host), `[::ffff:${a}.${b}.${c}.${d}]`),
    ),
)

const fullWidth = (text: string) => text.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))
const percentEncoded = (text: string) =>
  text.replace(/[0-9a-z]/gi, (character) => `%${character.charCodeAt(0).toString(16)}`)

const ipv6Spelling = fc.oneof(
  fc.ipV6().map((address) => `[${address}]`),
  octets.chain(([a = 0, b = 0, c = 0, d = 0]) => {
    const [high, low] = [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)]
    return fc.constantFrom(
      `[::${high}:${low}]`,
      `[::ffff:0:${high}:${low}]`,
      `[64:ff9b::${high}:${low}]`,
      `[64:ff9b:1::${high}:${low}]`,
      `[2002:${high}:${low}::1]`,
      `[2606:4700::5efe:${high}:${low}]`,
    )
  }),
)

const name = fc.constantFrom(
  'site.test',
  'localhost',
  'a.localhost.',
  'printer.local',
  'x.internal',
  'ſite.test',
  'ｌocalhost',
  'open.test',
)
const host = fc.oneof(ipv4Spelling, ipv6Spelling, name, fc.webAuthority(), fc.string({ maxLength: 20 }))
const urlText = fc
  .tuple(
    fc.constantFrom(
      'http://',
      'https://',
      'HTTP://',
      ' http://',
      'http:\\\\',
      'http:/',
      '//',
      'http://u@',
      'ht\ntp://',
    ),
    host,
    fc.constantFrom('', ':80', ':3000', ':22', ':0', '\\@site.test', '#@site.test', '?@site.test'),
  )
  .map((parts) => `${parts.join('')}/`)

const dnsAddress = fc.oneof(
  octets.map((parts) => parts.join('.')),
  fc.ipV6(),
  octets.map((parts) => `::ffff:${parts.join('.')}`),
  fc.constantFrom('::1', '::', 'fe80::1%lo', 'fd00::1', 'localhost', '', '0177.0.0.1', '127.1', '8.8.8.8'),
)
const dnsAnswers = fc.array(dnsAddress, { maxLength: 4 })

const isPublic = (dialed: string) => classifyAddress(parseAddress(dialed)) === 'public'

describe('for any spelling of a URL and any DNS response', () => {
  test('only public addresses are dialed', async () => {
    await fc.assert(
      fc.asyncProperty(urlText, dnsAnswers, async (text, answers) => {
        const harness = openHarness([], answers)
        await harness.ask(text)
        await harness.redirect(text)
        expect(harness.dialed.filter((address) => !isPublic(address))).toEqual([])
      }),
      { numRuns: randomRuns(3_000) },
    )
  })

  test('a proxy only gets public addresses', async () => {
    await fc.assert(
      fc.asyncProperty(urlText, dnsAnswers, async (text, answers) => {
        const harness = openHarness([], answers, true)
        await harness.ask(text)
        await harness.redirect(text)
        expect([...harness.bypassed, ...harness.dialed.filter((address) => !isPublic(address))]).toEqual([])
      }),
      { numRuns: randomRuns(1_000) },
    )
  })

  test('only public addresses and allowed ones are dialed', async () => {
    const rules = ['127.0.0.1:80', '10.0.0.0/8', '[::1]:3000']
    const opened = (address: string) => address === '127.0.0.1' || address === '::1' || address.startsWith('10.')
    await fc.assert(
      fc.asyncProperty(urlText, dnsAnswers, async (text, answers) => {
        const harness = openHarness(rules, answers)
        await harness.ask(text)
        await harness.redirect(text)
        expect(harness.dialed.filter((address) => !isPublic(address) && !opened(address))).toEqual([])
      }),
      { numRuns: randomRuns(2_000) },
    )
  })

  test.each([false, true])('public addresses are dialed; through a proxy: %p', async (throughProxy) => {
    const harness = openHarness([], ['8.8.8.8', '2606:4700::1'], throughProxy)
    await harness.ask('http://site.test/')
    await harness.ask('http://134744072/')
    expect(harness.dialed).toEqual(['2606:4700::1', '8.8.8.8', '8.8.8.8'])
  })
})
