import { describe, expect, test } from 'bun:test'

import { formatAddress, parseAddress, parseAddressRange } from '../../../src/core/net/address.ts'
import { createClientOf } from '../../../src/http/server/remote-addresses.ts'

const XFF = { 'x-forwarded-for': '198.51.100.1' }
const FORWARDED = { forwarded: 'for=198.51.100.1' }

describe('a header of a reverse proxy', () => {
  test.each<[string, peer: string, trusted: string[], headers: Record<string, string>, client: string, string[]]>([
    ['from loopback', '127.0.0.1', [], XFF, '127.0.0.1', ['X-Forwarded-For']],
    ['from IPv6 loopback', '::1', [], XFF, '::1', ['X-Forwarded-For']],
    ['from a private network', '172.17.0.1', [], XFF, '172.17.0.1', ['X-Forwarded-For']],
    ['from a private IPv6 network', 'fd00::1', [], XFF, 'fd00::1', ['X-Forwarded-For']],
    ['from the network of an overlay', '100.64.0.9', [], XFF, '100.64.0.9', ['X-Forwarded-For']],
    ['beside a trusted one', '10.0.0.2', ['10.0.0.1'], XFF, '10.0.0.2', ['X-Forwarded-For']],
    ['of another kind', '127.0.0.1', [], FORWARDED, '127.0.0.1', ['Forwarded']],
    ['of both kinds', '127.0.0.1', [], { ...XFF, ...FORWARDED }, '127.0.0.1', ['X-Forwarded-For']],
    ['from a trusted proxy', '127.0.0.1', ['127.0.0.1'], XFF, '198.51.100.1', []],
    ['from a public address, which can be any client', '8.8.8.8', [], XFF, '8.8.8.8', []],
    ['from an unknown address', 'unknown', [], XFF, '', []],
    ['that is absent', '127.0.0.1', [], {}, '127.0.0.1', []],
  ])('%s', (_, peer, trusted, headers, client, reported) => {
    const ignored: string[] = []
    const clientOf = createClientOf({
      peerOf: () => parseAddress(peer),
      trustedProxies: trusted.map((range) => parseAddressRange(range)!),
      onForwardedByUntrusted: (header) => void ignored.push(header),
    })
    for (let n = 0; n < 3; n++) {
      const found = clientOf(new Request('http://localhost/', { headers }))
      expect(found === null ? '' : formatAddress(found)).toBe(client)
    }
    expect(ignored).toEqual(reported)
  })
})
