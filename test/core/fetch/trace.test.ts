import { expect, test } from 'bun:test'

import { type Hop, publicTrace } from '../../../src/core/fetch/trace.ts'

const hop: Hop = {
  url: 'http://example.com/',
  by: 'caller',
  isDowngrade: false,
  addresses: [
    { address: '93.184.216.34', verdict: 'public', refusal: null },
    { address: '10.0.0.5', verdict: 'private', refusal: 'private' },
  ],
  refusal: 'private',
  attempts: [
    { address: '10.0.0.5', error: 'ECONNREFUSED' },
    { address: '93.184.216.34', error: null },
  ],
  cookiesSent: [],
  cookiesSet: [],
  timing: { dnsMs: 3 },
  failure: 'address not allowed',
}

test('hides the refused destinations of a rendered page', () => {
  const refused = [{ destination: 'intranet:80', refusal: 'private' as const }]
  const rendering = { durationMs: 5, requests: 2, bytes: 300, hosts: 1, refused }
  expect(publicTrace({ hops: [], rendering })).toEqual({ hops: [], rendering: { ...rendering, refused: [] } })
})

test('keeps only public addresses, and does not change the trace', () => {
  const { refusal: _refusal, ...rest } = hop
  const before = structuredClone(hop)
  expect(publicTrace({ hops: [hop] })).toEqual({
    hops: [
      {
        ...rest,
        addresses: [{ address: '93.184.216.34', verdict: 'public', refusal: null }],
        attempts: [{ address: '93.184.216.34', error: null }],
      },
    ],
  })
  expect(hop).toEqual(before)
})

test.each([
  ['10.0.0.5', undefined],
  ['93.184.216.34', '93.184.216.34'],
])('of a kept connection to %s', (keptConnectionTo, shown) => {
  expect(publicTrace({ hops: [{ ...hop, keptConnectionTo }] }).hops[0]!.keptConnectionTo).toBe(shown)
})

test('hides private addresses of the oEmbed endpoint too', () => {
  const { oembed } = publicTrace({ hops: [], oembed: { hops: [hop], durationMs: 5, failure: 'address not allowed' } })
  expect(oembed!.hops).toEqual(publicTrace({ hops: [hop] }).hops)
})
