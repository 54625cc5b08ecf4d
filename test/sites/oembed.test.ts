import { describe, expect, test } from 'bun:test'

import { FetchError } from '../../src/core/errors.ts'
import type { SiteRule } from '../../src/core/sites/site-rule.ts'
import { hostsOf, OEMBED_CASES as CASES, siteOf } from './oembed-cases.ts'
import { html, json, openSites, type SiteResponse } from './sites.ts'

const CHALLENGE = '<title>Just a moment...</title><body><script>window._cf_chl_opt = {}</script>'

/** The result of a page that cannot be fetched. */
function unread(error: unknown) {
  if (!(error instanceof FetchError)) throw error
  return { result: { sources: {} } }
}

describe('sites with oEmbed that refuse pages', () => {
  test.each(CASES.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    await using sites = await openSites(hostsOf(one), siteOf(one))
    const { result, trace } = await sites.read(one.url)
    expect(result.result).toMatchObject(one.expected)
    expect(result.sources).toEqual(one.sources)
    expect(trace.oembed).toMatchObject({ hops: [{ by: 'oembed', status: 200 }] })
    const request = sites.requests.find((path) => path.startsWith(one.endpoint)) ?? ''
    const { searchParams } = new URL(`https://${request}`)
    expect(searchParams.get('url')).toStartWith('https://')
    expect(request).toContain('json')
  })

  test.each(CASES.map((one) => [one.name, one] as const))('off: %s', async (_, one) => {
    await using sites = await openSites(hostsOf(one), siteOf(one))
    const read = sites.read(one.url, { oembed: false })
    const { result } = await read.catch(unread)
    expect(Object.values(result.sources).filter((source) => source.startsWith('oembed'))).toEqual([])
    expect(sites.requests).not.toBeEmpty()
    expect(sites.requests.filter((path) => path.includes('oembed'))).toEqual([])
  })
})

const CMS = { title: 'From oEmbed', author_name: 'Jo Doe', thumbnail_url: '/thumb.jpg', provider_name: 'Blog' }
const LINK = '<link rel="alternate" type="application/json+oembed" href="/wp-json/oembed?a=1&amp;b=2">'

/** Pages that declare an oEmbed endpoint, as WordPress does. */
describe('a page with a discovery link', () => {
  test.each<[name: string, page: string, expected: object, isRequested: boolean]>([
    [
      'that has everything sends no oEmbed request',
      `<meta property="og:title" content="A"><meta property="og:image" content="/i.png"><title>B</title>${LINK}`,
      { title: 'A', image: 'https://blog.test/i.png' },
      false,
    ],
    [
      'that lacks an image keeps its own title',
      `<title>A page</title><meta name="author" content="Ann Own">${LINK}<body><p>${'four '.repeat(60)}`,
      { title: 'A page', image: 'https://blog.test/thumb.jpg', site_name: 'Blog', meta: { author: 'Ann Own' } },
      true,
    ],
    [
      'that lacks a title keeps its own image',
      `<meta property="og:image" content="/i.png">${LINK}<body><p>${'four '.repeat(60)}`,
      { title: 'From oEmbed', image: 'https://blog.test/i.png', meta: { author: 'Jo Doe' } },
      true,
    ],
    [
      'in upper case and with other relations',
      `<LINK REL="nofollow Alternate" TYPE=" Application/JSON+oEmbed " HREF="/wp-json/oembed?a=1&amp;b=2"><body>`,
      { title: 'From oEmbed' },
      true,
    ],
    [
      'to XML sends no oEmbed request',
      `<link rel="alternate" type="text/xml+oembed" href="/wp-json/oembed?a=1&amp;b=2"><body>text`,
      {},
      false,
    ],
    [
      'of another type sends no oEmbed request',
      `<link rel="alternate" type="application/json" href="/wp-json/oembed?a=1&amp;b=2">`,
      {},
      false,
    ],
    ['in a comment sends no oEmbed request', `<!-- ${LINK} --><p>text`, {}, false],
  ])('%s', async (_, page, expected, isRequested) => {
    await using sites = await openSites(['blog.test'], (_request, url) =>
      url.pathname === '/wp-json/oembed' ? json(CMS) : html(page),
    )
    const { result } = await sites.read('https://blog.test/post')
    const { fetched_at: _at, response_time_ms: _ms, ...values } = result.result
    expect(values).toMatchObject({ ...expected, fetch_method: 'http' })
    expect(sites.requests).toEqual(
      isRequested ? ['blog.test/post', 'blog.test/wp-json/oembed?a=1&b=2'] : ['blog.test/post'],
    )
  })
})

describe('no oEmbed request', () => {
  test.each<[name: string, page: () => SiteResponse]>([
    ['a 404', () => html('<title>Not found</title>', 404)],
    ['a 500', () => html('<title>Error</title>', 500)],
    ['a file', () => new Response('%PDF-1.7', { headers: { 'content-type': 'application/pdf' } })],
    ['an image', () => new Response(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))],
  ])('for %s', async (_, page) => {
    await using sites = await openSites(['vimeo.com'], (_request, url) => (url.pathname === '/1' ? page() : json(CMS)))
    await sites.read('https://vimeo.com/1').catch(unread)
    expect(sites.requests).toEqual(['vimeo.com/1'])
  })

  test('for a challenge without a provider', async () => {
    await using sites = await openSites(['shop.test'], () => html(CHALLENGE))
    await expect(sites.read('https://shop.test/item')).rejects.toMatchObject({ reason: 'blocked by the site' })
    expect(sites.requests).toEqual(['shop.test/item'])
  })

  test('to the endpoint that a challenge declares', async () => {
    await using sites = await openSites(['shop.test'], (_, url) =>
      url.pathname === '/item' ? html(LINK + CHALLENGE) : json(CMS),
    )
    await expect(sites.read('https://shop.test/item')).rejects.toMatchObject({ reason: 'blocked by the site' })
    expect(sites.requests).toEqual(['shop.test/item'])
  })
})

describe('a rule of the operator', () => {
  const shell = '<title>App</title><body><div id="root"></div><script src="/app.js"></script>'
  const own: SiteRule = { hosts: ['blog.test'], oembed: 'https://api.test/embed?key=1' }
  const rules: readonly [name: string, rule: SiteRule, url: string, requests: readonly string[]][] = [
    [
      'names the endpoint',
      own,
      'https://blog.test/post#part',
      ['blog.test/post', `api.test/embed?key=1&url=${encodeURIComponent('https://blog.test/post')}&format=json`],
    ],
    [
      'names the endpoint of the site that redirects to a challenge',
      own,
      'https://blog.test/moved',
      [
        'blog.test/moved',
        'wall.test/check',
        `api.test/embed?key=1&url=${encodeURIComponent('https://blog.test/moved')}&format=json`,
      ],
    ],
    [
      'names the endpoint, which is requested for the page instead of the login page',
      own,
      'https://blog.test/members/1',
      [
        'blog.test/members/1',
        'blog.test/login?next=/members/1',
        `api.test/embed?key=1&url=${encodeURIComponent('https://blog.test/members/1')}&format=json`,
      ],
    ],
    [
      'turns off the endpoint that the page declares',
      { hosts: ['blog.test'], oembed: 'off' },
      'https://blog.test/linked',
      ['blog.test/linked'],
    ],
    [
      'turns off a known provider, also for its short links',
      { hosts: ['vimeo.com'], oembed: 'off' },
      'https://flic.kr/p/1',
      ['flic.kr/p/1', 'vimeo.com/1'],
    ],
  ]
  test.each(rules)('%s', async (_, rule, url, requests) => {
    await using sites = await openSites(
      ['blog.test', 'api.test', 'wall.test', 'vimeo.com', 'flic.kr'],
      (_request, { pathname }) => {
        if (pathname === '/moved') return Response.redirect('https://wall.test/check')
        if (pathname === '/p/1') return Response.redirect('https://vimeo.com/1')
        if (pathname === '/check') return html(CHALLENGE)
        if (pathname === '/members/1') return Response.redirect('https://blog.test/login?next=/members/1')
        if (pathname === '/login') return html('<title>Log in</title>')
        return pathname === '/embed' || pathname === '/wp-json/oembed' ? json(CMS) : html(shell + LINK)
      },
    )
    await sites.read(url, { sites: [rule] })
    expect(sites.requests).toEqual([...requests])
  })
})
