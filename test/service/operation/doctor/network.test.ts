import { describe, expect, test } from 'bun:test'

import { FetchError, type FetchFailure } from '../../../../src/core/errors.ts'
import { type AddressRange, parseAddressRange } from '../../../../src/core/net/address.ts'
import type { Finding } from '../../../../src/service/operation/doctor.ts'
import {
  authoritiesFinding,
  baseUrlFinding,
  clockFinding,
  ntpFinding,
  outboundFinding,
  reverseProxyFinding,
} from '../../../../src/service/operation/doctor/network.ts'
import { expectFinding } from './expect-finding.ts'

type Status = Finding['status']

test.each<[aheadMs: number, status: Status, seconds: number]>([
  [30_000, 'ok', 30],
  [-30_000, 'ok', 30],
  [30_001, 'warning', 30],
  [-300_000, 'warning', 300],
  [300_001, 'failed', 300],
  [-300_001, 'failed', 300],
])('a clock that is %d ms ahead: %s', (aheadMs, status, seconds) =>
  expectFinding(clockFinding(aheadMs, 'a.test'), status, `differs from that of a.test by ${seconds} s`),
)

test.each([
  [true, 'ok'],
  [false, 'warning'],
  [null, 'skipped'],
] as const)('a clock for which NTP says %p: %s', (isSynchronized, status) =>
  expectFinding(ntpFinding(isSynchronized, 'a.test'), status),
)

describe('a page', () => {
  const url = new URL('https://a.test/b')
  const timeout = new DOMException('timed out', 'TimeoutError')
  const failure = (kind: FetchFailure, detail?: string) => new FetchError(kind, { reason: 'why', detail })

  test.each<[name: string, error: unknown, usesProxy: boolean, status: Status, detail: string, remedy: RegExp | null]>([
    ['that does not respond', timeout, false, 'failed', `${url}: no response within 8 s`, /firewall/],
    [
      'that does not respond through a proxy',
      timeout,
      true,
      'failed',
      `${url}: no response within 8 s`,
      /EGRESS_PROXY/,
    ],
    ['with an error status', failure('http_status'), false, 'ok', 'a.test responds with why', null],
    [
      'refused by the proxy',
      failure('egress_proxy', 'egress proxy: 407'),
      true,
      'failed',
      `${url}: egress proxy: 407`,
      /EGRESS_PROXY/,
    ],
    ['whose name is unknown', failure('host_not_found'), false, 'failed', `${url}: why`, /URLMETA_DNS_SERVERS/],
    ['whose certificate is not trusted', failure('tls_error'), false, 'failed', `${url}: why`, /intercepts TLS/],
    ['on a private host', failure('address_not_allowed'), false, 'failed', `${url}: why`, /ALLOW_PRIVATE_HOSTS/],
    ['without a listener', failure('connection_refused'), false, 'failed', `${url}: why`, /firewall/],
  ])('%s', (_, error, usesProxy, status, detail, remedy) => {
    const finding = outboundFinding(url, error, 8_000, usesProxy)
    expect(finding).toEqual({ status, detail, ...(remedy && { remedy: expect.stringMatching(remedy) }) } as Finding)
  })

  test('that causes another error rejects with it', () => {
    const bug = new Error('a bug')
    expect(() => outboundFinding(url, bug, 8_000, false)).toThrow(bug)
  })
})

test.each<[name: string, builtIn: number, exists: boolean | null, status: Status]>([
  ['none', 0, true, 'failed'],
  ['built in', 100, null, 'ok'],
  ['of a file', 100, true, 'ok'],
  ['of a missing file', 100, false, 'failed'],
])('certificate authorities: %s', (_, builtIn, exists, status) => {
  const finding = authoritiesFinding(builtIn, exists === null ? null : { path: '/ca.pem', exists })
  expectFinding(finding, status, exists === null || builtIn === 0 ? 'built' : '/ca.pem')
})

describe('the base URL', () => {
  const healthy = { status: 200, text: '{"status":"ok"}' }

  test.each<
    [
      name: string,
      url: string,
      health: Parameters<typeof baseUrlFinding>[1],
      isRunning: boolean | null,
      status: Status,
      detail: string,
    ]
  >([
    ['with TLS', 'https://a.test', healthy, true, 'ok', 'leads to a urlmeta server'],
    ['of this machine', 'http://127.0.0.1:8080', healthy, true, 'ok', 'leads to a urlmeta server'],
    ['without TLS', 'http://a.test', healthy, true, 'warning', 'is served without TLS'],
    ['of another service', 'https://a.test', { status: 200, text: 'ok' }, true, 'failed', 'HTTP 200, not from urlmeta'],
    ['with an error', 'https://a.test', { ...healthy, status: 503 }, true, 'failed', 'HTTP 503, not from urlmeta'],
    ['without a response', 'https://a.test', new Error('refused'), true, 'failed', 'https://a.test/healthz: refused'],
    [
      'without a response, and maybe without a server',
      'https://a.test',
      new Error('refused'),
      null,
      'warning',
      'refused',
    ],
  ])('%s', (_, url, health, isRunning, status, detail) =>
    expectFinding(baseUrlFinding(url, health, isRunning), status, detail),
  )
})

describe('a reverse proxy', () => {
  const range = (text: string): AddressRange => parseAddressRange(text)!

  test.each<[name: string, baseUrl: string | null, trusted: AddressRange[], status: Status, detail: string]>([
    ['that is not configured', null, [], 'skipped', 'none is configured'],
    ['that is not needed', 'http://a.test', [], 'skipped', 'none is configured'],
    ['that is not trusted', 'https://a.test', [], 'warning', 'count as one'],
    ['that is trusted', 'https://a.test', [range('10.0.0.1/32')], 'ok', 'is trusted'],
    ['in a network', null, [range('10.0.0.0/8')], 'ok', 'is trusted'],
    ['at any address', null, [range('10.0.0.1/32'), range('0.0.0.0/0')], 'warning', 'from every address'],
  ])('%s', (_, baseUrl, trusted, status, detail) =>
    expectFinding(reverseProxyFinding(baseUrl, trusted), status, detail),
  )
})
