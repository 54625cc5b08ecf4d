import { describe, expect, test } from 'bun:test'

import { formatAddress, parseAddress, parseAddressRange } from '../../../src/core/net/address.ts'
import { addressBlock, clientAddress } from '../../../src/core/net/client-address.ts'

const PROXIES = ['10.0.0.0/8', 'fd00::/8'].map((range) => parseAddressRange(range)!)

describe('the client address of a request', () => {
  test.each<[string, peer: string | null, forwardedFor: string | null, address: string | null]>([
    ['is the peer', '203.0.113.9', null, '203.0.113.9'],
    ['is the peer if it is not a trusted proxy', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['is the address reported by a trusted proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['is the last address that is not a trusted proxy', '10.0.0.1', '1.1.1.1, 198.51.100.1, 10.2.2.2', '198.51.100.1'],
    ['is not an address that the client sent', '10.0.0.1', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['is a proxy if there are no other addresses', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
    ['is unknown if the proxy wrote another word', '10.0.0.1', '198.51.100.1, unknown', null],
    ['is unknown if the proxy wrote nothing', '10.0.0.1', '', null],
    ['is unknown if the last entry is empty', '10.0.0.1', '198.51.100.1, ', null],
    ['is unknown if the second of two proxies wrote another word', '10.0.0.1', 'unknown, 10.0.0.2', null],
    ['is not affected by what the client wrote', '10.0.0.1', 'unknown, 198.51.100.1', '198.51.100.1'],
    ['is the last one of a very long header', '10.0.0.1', `${'unknown, '.repeat(9_999)}198.51.100.1`, '198.51.100.1'],
    ['is unknown behind hundreds of proxies', '10.0.0.1', `198.51.100.1${', 10.0.0.2'.repeat(9_999)}`, null],
    ['is a proxy without the header', '10.0.0.1', null, '10.0.0.1'],
    ['is IPv6 and the proxy too', 'fd00::1', '2001:db8::5', '2001:db8::5'],
    ['is IPv4 in an IPv4-mapped address', '::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['is the address reported by a proxy, without the port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['is IPv6 without brackets and port', '10.0.0.1', '[2001:db8::5]:4711', '2001:db8::5'],
    ['is IPv6 without brackets', '10.0.0.1', '[2001:db8::5]', '2001:db8::5'],
    ['is an IPv6 address whose end looks like a port', '10.0.0.1', '2001:db8::5:4711', '2001:db8::5:4711'],
    [
      'is the address reported by a trusted proxy that is written with a port',
      '10.0.0.1',
      '198.51.100.1:80, 10.0.0.2:81',
      '198.51.100.1',
    ],
    ['is unknown with an invalid port', '10.0.0.1', '198.51.100.1:port', null],
    ['is unknown with a port that is too long', '10.0.0.1', '198.51.100.1:123456', null],
    ['is unknown with an unclosed bracket', '10.0.0.1', '[2001:db8::5', null],
    ['is unknown with empty brackets', '10.0.0.1', '[]:80', null],
    ['is unknown without a peer', null, '198.51.100.1', null],
  ])('%s', (_, peer, forwardedFor, address) => {
    const client = clientAddress(parseAddress(peer ?? ''), forwardedFor, PROXIES)
    expect(client && formatAddress(client)).toBe(address)
  })
})

test.each([
  ['203.0.113.9', '203.0.113.10', false],
  ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', true],
  ['2001:db8:0:1::1', '2001:db8:0:2::1', false],
])('%s and %s are counted together: %p', (one, other, isSame) => {
  const block = (text: string) => addressBlock(parseAddress(text))
  expect(block(one) === block(other)).toBe(isSame)
})
