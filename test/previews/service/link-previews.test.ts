import { describe, expect, test } from 'bun:test'

import { startHop, type Hop } from '../../../src/core/fetch/trace.ts'
import { previewFactsOf } from '../../../src/previews/service/link-previews.ts'
import type { PlaygroundSuccessRecord } from '../../../src/previews/service/playground-record.ts'
import { PAGE_URL, tagsOf } from '../preview-page.ts'

const OTHER = 'https://other.example/'
const ENDPOINT = 'https://www.example.com/oembed.json'
const OEMBED = { url: ENDPOINT, problem: '', type: 'link', title: 'From oEmbed', author: '', provider: '' }

const hop = (url: string, by: Hop['by'], changes: Partial<Hop> = {}): Hop => ({
  ...startHop(new URL(PAGE_URL), by),
  url,
  ...changes,
})

const outcomeOf = (
  hops: Hop[],
  html = '',
  changes: Partial<PlaygroundSuccessRecord> = {},
): PlaygroundSuccessRecord => ({
  kind: 'success',
  url: PAGE_URL,
  result: { fetched_at: '', fetch_method: 'http', response_time_ms: 1 },
  cached: false,
  details: { sources: {}, trace: { hops }, tags: { plain: tagsOf(html) } },
  images: [],
  oembed: null,
  robots: [],
  editedTags: null,
  ...changes,
})

const factsOf = (...parameters: Parameters<typeof outcomeOf>) => {
  const facts = previewFactsOf(outcomeOf(...parameters))
  if (typeof facts === 'string') throw new Error(facts)
  return facts
}

test.each<[name: string, urls: string[], expected: string]>([
  ['is the requested one without requests', [], PAGE_URL],
  ['is that of the last request', [PAGE_URL, OTHER], OTHER],
  ['is not one that was truncated', [`${OTHER}…`], PAGE_URL],
  ['is not one that is invalid', ['https://'], PAGE_URL],
])('the URL of link previews %s', (_, urls, expected) => {
  const facts = factsOf(urls.map((url) => hop(url, 'caller')))
  expect(facts).toMatchObject({ input: { url: expected }, checks: { url: expected } })
})

describe('the facts of a result', () => {
  const charset = { encoding: 'windows-1252', from: 'header' } as const
  const HOPS = [
    hop(PAGE_URL, 'caller', { status: 301, robots: 'noindex' }),
    hop(`${PAGE_URL}/1`, 'redirect', { status: 302, isDowngrade: true }),
    hop(`${PAGE_URL}/2`, 'refresh'),
    hop(`${PAGE_URL}/3`, 'redirect', { status: 200, robots: 'nosnippet', charset }),
    hop(ENDPOINT, 'oembed', { status: 200, robots: 'none' }),
  ]

  test('have the requests for the page, without those for oEmbed', () => {
    const { input, checks } = factsOf(HOPS, '', { url: `${PAGE_URL}#part` })
    expect(input).toMatchObject({ requestedUrl: PAGE_URL, url: `${PAGE_URL}/3`, redirects: 2, favicon: null })
    expect(checks.hops).toEqual([
      { url: PAGE_URL, status: 301, by: 'caller', isDowngrade: false },
      { url: `${PAGE_URL}/1`, status: 302, by: 'redirect', isDowngrade: true },
      { url: `${PAGE_URL}/2`, status: null, by: 'refresh', isDowngrade: false },
      { url: `${PAGE_URL}/3`, status: 200, by: 'redirect', isDowngrade: false },
    ])
    expect(checks).toMatchObject({ charset, robotsHeader: 'nosnippet', interstitial: null })
  })

  test('have neither encoding nor directives without requests', () => {
    expect(factsOf([]).checks).toMatchObject({ hops: [], charset: null, robotsHeader: '' })
  })

  test('have the wall and the favicon of the result', () => {
    const trace = { hops: [], interstitial: 'consent' as const }
    const outcome = {
      result: { fetched_at: '', fetch_method: 'http' as const, response_time_ms: 1, favicon: `${OTHER}i.png` },
      details: { sources: {}, trace, tags: { plain: tagsOf('') } },
    }
    const { input, checks } = factsOf([], '', outcome)
    expect([checks.interstitial, input.favicon]).toEqual(['consent', `${OTHER}i.png`])
  })

  test('have the edited tags instead of those of the page, whose encoding says nothing about them', () => {
    const { input, checks } = factsOf(HOPS, '<title>Page</title>', {
      editedTags: '<title>Edited</title><link rel=canonical href="a">',
    })
    expect(input.tags.plain.tags.map(({ value }) => value)).toContain('Edited')
    expect(JSON.stringify(input.tags)).toContain('"baseUrl":"https://www.example.com/lights"')
    expect(JSON.stringify(input.tags)).not.toContain('Page')
    expect(checks.charset).toBeNull()
  })

  test.each<[name: string, html: string, endpoint: string | null]>([
    ['that the page declares', `<link rel="alternate" type="application/json+oembed" href="${ENDPOINT}">`, ENDPOINT],
    ['of another endpoint', `<link rel="alternate" type="application/json+oembed" href="${OTHER}">`, null],
    ['that the page does not declare', '', null],
  ])('have the oEmbed response %s', (_, html, endpoint) => {
    const oembed = OEMBED as never
    const { input, checks } = factsOf([], html, { oembed })
    expect(checks.oembed?.url ?? null).toBe(endpoint)
    expect(input.oembed).toEqual(oembed)
  })
})
