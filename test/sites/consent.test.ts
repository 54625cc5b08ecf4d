import { describe, expect, test } from 'bun:test'

import { html, json, openSites, rendererOf, type Site } from './sites.ts'

const ASKING = '<title>Before you continue</title><body><form>We use cookies. Accept all, reject all.</form>'
const ARTICLE =
  '<title>The article</title><meta property="og:title" content="The article"><meta property="og:image" content="/i.png">'

/** Google's sites redirect without the cookie: yt-dlp/yt-dlp#7774, iframely#326, georgekhananaev/google-reviews-scraper-pro#28. */
const google: Site = (request, url) => {
  if (url.hostname.startsWith('consent.')) return html(ASKING)
  const cookies = request.headers.get('cookie') ?? ''
  if (/(?:^|; )SOCS=CAI/.test(cookies)) return html(ARTICLE)
  return Response.redirect(
    `https://consent.${url.hostname.split('.').slice(1).join('.')}/m?continue=${encodeURIComponent(url.href)}`,
  )
}

describe('sites of Google', () => {
  test.each([
    ['YouTube', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
    ['Google Maps', 'https://www.google.com/maps/place/Eiffel+Tower'],
    ['Google Maps in Germany', 'https://maps.google.de/maps?q=Berlin'],
  ])('%s: the page is sent because of the cookie', async (_, url) => {
    await using sites = await openSites([new URL(url).hostname], google)
    const { result, trace } = await sites.read(url)
    expect(result.result).toMatchObject({ title: 'The article', fetch_method: 'http' })
    expect(trace.hops.map(({ cookiesSent }) => cookiesSent)).toEqual([['SOCS']])
  })

  test('a cookie of the same name that the site sets does not replace it; others are sent as well', async () => {
    const sent: (string | null)[] = []
    await using sites = await openSites(['www.youtube.com'], (request) => {
      sent.push(request.headers.get('cookie'))
      if (sent.length > 1) return html(ARTICLE)
      const headers = new Headers({ location: '/next' })
      headers.append('set-cookie', 'SOCS=CAAaBgiA; Domain=.youtube.com; Path=/; Secure')
      headers.append('set-cookie', 'YSC=1; Path=/; Secure')
      return new Response('', { status: 302, headers })
    })
    await sites.read('https://www.youtube.com/watch?v=1')
    expect(sent).toEqual(['SOCS=CAISAiAD', 'YSC=1; SOCS=CAISAiAD'])
  })

  test('the cookies of an operator replace it', async () => {
    const sent: (string | null)[] = []
    await using sites = await openSites(['www.youtube.com'], (request) => {
      sent.push(request.headers.get('cookie'))
      return html(ARTICLE)
    })
    const rule = { hosts: ['www.youtube.com'], cookies: { SOCS: 'own', SID: '1' } }
    await sites.read('https://www.youtube.com/watch?v=1', { sites: [rule] })
    expect(sent).toEqual(['SOCS=own; SID=1'])
  })

  test('the cookie is not sent over plain HTTP', async () => {
    const sent: (string | null)[] = []
    await using sites = await openSites(['www.youtube.com'], (request) => {
      sent.push(request.headers.get('cookie'))
      return html(ARTICLE)
    })
    await sites.read('http://www.youtube.com/watch?v=1')
    expect(sent).toEqual([null])
  })

  test('the cookie is not sent to other sites', async () => {
    const sent = new Map<string, string | null>()
    await using sites = await openSites(['www.youtube.com', 'other.test'], (request, url) => {
      sent.set(url.hostname, request.headers.get('cookie'))
      return url.hostname === 'other.test' ? html(ARTICLE) : Response.redirect('https://other.test/')
    })
    await sites.read('https://www.youtube.com/redirect?q=https://other.test/')
    expect(sent).toEqual(
      new Map([
        ['www.youtube.com', 'SOCS=CAISAiAD'],
        ['other.test', null],
      ]),
    )
  })

  test('the URL of a consent page: the oEmbed endpoint describes the page behind it', async () => {
    const target = encodeURIComponent('https://www.youtube.com/watch?v=1')
    await using sites = await openSites(['consent.youtube.com', 'www.youtube.com'], (_, url) =>
      url.pathname === '/oembed' ? json({ title: 'The video' }) : html(ASKING),
    )
    const { result } = await sites.read(`https://consent.youtube.com/m?continue=${target}`)
    expect(result.result.title).toBe('The video')
    expect(sites.requests).toContain(`www.youtube.com/oembed?url=${target}&format=json`)
  })
})

/** Redirects to consent pages, with the reports. */
const OTHERS: readonly (readonly [name: string, page: string, consent: string])[] = [
  [
    'DPG Media (TylerFisher/sill#68)',
    'https://www.volkskrant.nl/binnenland/artikel',
    'https://myprivacy.dpgmedia.nl/consent?callbackUrl=https%3A%2F%2Fwww.volkskrant.nl%2Fprivacygate-confirm&siteKey=P',
  ],
  [
    'Yahoo (ph00lt0/blocklist#88)',
    'https://techcrunch.com/article',
    'https://consent.yahoo.com/v2/collectConsent?sessionId=3_cc-session',
  ],
  ['an unknown site', 'https://news.test/article', 'https://news.test/cookie-consent?return=%2Farticle'],
  ['its own name for the parameter', 'https://news.test/article', 'https://news.test/gdpr/?origin=%2Farticle'],
]

describe('other sites', () => {
  const siteOf =
    (page: string, consent: string): Site =>
    (_, url) =>
      url.href === page ? Response.redirect(consent) : html(ASKING)

  test.each(OTHERS)('%s: blocked by the site', async (_, page, consent) => {
    const hosts = new Set([page, consent].map((url) => new URL(url).hostname))
    await using sites = await openSites([...hosts], siteOf(page, consent))
    await expect(sites.read(page)).rejects.toMatchObject({ failure: 'blocked_by_site', reason: 'blocked by the site' })
  })

  test.each(OTHERS)('%s: the browser gets the page', async (_, page, consent) => {
    const hosts = new Set([page, consent].map((url) => new URL(url).hostname))
    await using sites = await openSites([...hosts], siteOf(page, consent))
    const { result, trace } = await sites.read(page, { renderer: rendererOf(page, ARTICLE) })
    expect(result.result).toMatchObject({ title: 'The article', fetch_method: 'headless' })
    expect(trace).toMatchObject({ interstitial: 'consent', method: { method: 'headless', reason: 'consent' } })
  })

  test.each(OTHERS)('%s: the browser gets the consent page', async (_, page, consent) => {
    const hosts = new Set([page, consent].map((url) => new URL(url).hostname))
    await using sites = await openSites([...hosts], siteOf(page, consent))
    const read = sites.read(page, { renderer: rendererOf(consent, ASKING) })
    await expect(read).rejects.toMatchObject({ reason: 'blocked by the site' })
  })

  test('a consent page with og: tags that leads back to the page: blocked by the site', async () => {
    const consent = 'https://consent.news.test/?continue=https%3A%2F%2Fnews.test%2Farticle'
    const page = 'https://news.test/article'
    await using sites = await openSites(['news.test', 'consent.news.test'], (_, url) =>
      url.href === page ? Response.redirect(consent) : html(ARTICLE),
    )
    await expect(sites.read(page)).rejects.toMatchObject({ reason: 'blocked by the site' })
  })

  test('the endpoint of a rule is requested for the page, not for the consent page', async () => {
    await using sites = await openSites(['news.test', 'api.test'], (_, url) => {
      if (url.hostname === 'api.test') return json({ title: 'The article' })
      return url.pathname === '/article' ? Response.redirect('https://news.test/gdpr/?origin=%2Farticle') : html(ASKING)
    })
    const rule = { hosts: ['news.test'], oembed: 'https://api.test/oembed' }
    const { result } = await sites.read('https://news.test/article', { sites: [rule] })
    expect(result.result.title).toBe('The article')
    const target = encodeURIComponent('https://news.test/article')
    expect(sites.requests.at(-1)).toBe(`api.test/oembed?url=${target}&format=json`)
  })

  test('a redirect between pages about privacy is not a consent page', async () => {
    await using sites = await openSites(['news.test'], (_, url) =>
      url.pathname === '/privacy' ? Response.redirect('https://news.test/privacy/eu?from=/privacy') : html(ARTICLE),
    )
    expect((await sites.read('https://news.test/privacy')).result.result.title).toBe('The article')
  })

  test.each([
    ['an article about consent', 'https://news.test/consent?url=https://news.test/a', ARTICLE],
    ['a page that merely asks for cookies', 'https://news.test/article', `${ARTICLE}<body>We use cookies. Accept all?`],
    ['a share dialog', 'https://news.test/share?url=https://news.test/a', '<title>The article</title><body>Share'],
  ])('%s is not a consent page', async (_, url, page) => {
    await using sites = await openSites(['news.test'], () => html(page))
    expect((await sites.read(url)).result.result.title).toBe('The article')
  })
})
