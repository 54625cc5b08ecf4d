import { describe, expect, test } from 'bun:test'

import { detailsText, parseDetails, storableTrace } from '../../../src/core/fetch/result-details.ts'
import type { Hop } from '../../../src/core/fetch/trace.ts'

const HOP: Hop = {
  url: 'https://example.com/a',
  by: 'caller',
  isDowngrade: false,
  addresses: [{ address: '93.184.216.34', verdict: 'public', refusal: null }],
  attempts: [{ address: '93.184.216.34', error: null }],
  cookiesSent: [],
  cookiesSet: [],
  status: 200,
  timing: { dnsMs: 1.234567, bodyMs: 2 },
}

const hopOf = (of: Partial<Hop>) => storableTrace({ hops: [{ ...HOP, ...of }] }).hops[0]!

describe('storableTrace', () => {
  test('a usual trace is kept, with times to a tenth of a millisecond', () => {
    expect(storableTrace({ hops: [HOP], usedMethod: 'http' })).toEqual({
      hops: [{ ...HOP, timing: { dnsMs: 1.2, bodyMs: 2 } }],
      usedMethod: 'http',
    })
  })

  test('fragments are removed, because the cached result is shared with other users', () => {
    const { url, location } = hopOf({ url: 'https://a.test/x#secret', location: 'https://a.test/y#secret' })
    expect([url, location]).toEqual(['https://a.test/x', 'https://a.test/y'])
  })

  test.each([
    [300, 'x'.repeat(300)],
    [301, `${'x'.repeat(299)}…`],
  ])('a text of %d characters', (length, expected) => {
    expect(hopOf({ contentType: 'x'.repeat(length) }).contentType).toBe(expected)
  })

  test('an oEmbed request is bounded in the same way, and its fragments are left out', () => {
    const hop = { ...HOP, url: `https://a.test/${'x'.repeat(8_000)}`, location: 'https://a.test/y#secret' }
    const { oembed } = storableTrace({
      hops: [],
      oembed: { hops: Array.from({ length: 100 }, () => hop), durationMs: 1.26, failure: 'x'.repeat(10_000) },
    })
    expect(oembed).toMatchObject({ durationMs: 1.3 })
    expect(oembed?.hops).toHaveLength(20)
    expect(oembed?.hops[0]?.url.length).toBe(300)
    expect(oembed?.failure?.length).toBe(300)
    expect(JSON.stringify(oembed)).not.toContain('secret')
  })

  test('values that a site controls are bounded', () => {
    const text = 'x'.repeat(10_000)
    const many = Array.from({ length: 1_000 }, () => text)
    const hop = hopOf({
      url: text,
      location: text,
      contentType: text,
      contentEncoding: text,
      failure: text,
      robots: text,
      issuerFrom: text,
      cookiesSet: many,
      cookiesSent: many,
      addresses: Array.from({ length: 1_000 }, () => HOP.addresses[0]!),
      attempts: Array.from({ length: 1_000 }, () => HOP.attempts[0]!),
    })
    expect(JSON.stringify(hop).length).toBeLessThan(10_000)
    expect(storableTrace({ hops: Array.from({ length: 1_000 }, () => HOP) }).hops).toHaveLength(20)
    const refused = Array.from({ length: 1_000 }, () => ({ destination: text, refusal: 'private' as const }))
    const { rendering } = storableTrace({
      hops: [],
      rendering: { durationMs: 1, requests: 1, bytes: 1, hosts: 1, refused },
    })
    expect(JSON.stringify(rendering).length).toBeLessThan(5_000)
  })
})

test('stored details are parsed unchanged', () => {
  const details = { sources: { title: 'og:title' }, trace: { hops: [{ ...HOP, timing: {} }] } }
  expect(parseDetails(detailsText(details))).toEqual(details)
})

test('details that are too large are not stored', () => {
  expect(detailsText({ sources: { title: 'x'.repeat(70_000) }, trace: { hops: [] } })).toBeUndefined()
})

describe('tags', () => {
  const details = { sources: {}, trace: { hops: [] } }
  const tagsOf = (characters: number) => {
    const tag = { element: 'meta' as const, name: 'a', value: 'x'.repeat(characters), offset: 0 }
    return { plain: { baseUrl: 'https://a.test/', tags: [tag], isTruncated: false } }
  }

  test('are parsed unchanged', () => {
    const tags = tagsOf(10)
    expect(parseDetails(detailsText({ ...details, tags }))).toEqual({ ...details, tags })
  })

  test('that are too large are left out, and the rest is stored', () => {
    expect(parseDetails(detailsText({ ...details, tags: tagsOf(64 * 1024) }))).toEqual(details)
  })
})

test.each([[undefined], [''], ['{'], ['null'], ['[]'], ['{"sources":{}}'], ['{"sources":{},"trace":{}}']])(
  'no details in %p',
  (text) => expect(parseDetails(text)).toBeNull(),
)
