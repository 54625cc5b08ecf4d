import { extract, setProviderList } from '@extractus/oembed-extractor'
import mql from '@microlink/mql'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

import { Client as PeekalinkClient } from 'peekalink'

import { Elysia } from 'elysia'

import { AppError, FetchError } from '../../src/core/errors.ts'
import { FORMATS } from '../../src/core/formats/formats.ts'
import { createMeteredApi } from '../../src/http/api/metered-api.ts'
import { formatRoutes } from '../../src/http/routes/formats.ts'
import type { IncomingBodies } from '../../src/http/server/incoming-bodies.ts'
import { devDependencies } from '../../package.json'
import { type Body, startApp, type TestApp } from './app.ts'
import { expectedValue, FORMAT_SECTIONS, pathsOf, valueAt } from './formats-tables.ts'

const UNKNOWN_KEY = `urlmeta_live_${'0'.repeat(32)}`

const PAGE = `<!doctype html><html lang="de-CH"><title>Ein Titel</title>
<meta property="og:description" content="Worum es geht"><meta property="og:image" content="/bild.png">
<meta property="og:image:width" content="1200"><meta property="og:image:height" content="630">
<meta property="og:site_name" content="Die Zeitung"><meta property="og:type" content="article">
<meta name="author" content="Anna Muster"><meta property="article:published_time" content="2026-11-20T10:00:00Z">
<meta name="twitter:card" content="summary_large_image">
<link rel="icon" href="/icon.png"><link rel="canonical" href="/artikel">`

/** Other pages, by path. */
const HTML: Record<string, string> = {
  '/bare': '<!doctype html><p>Nothing',
  '/unsized': '<!doctype html><title>T</title><meta property="og:image" content="/bild.png">',
  '/secure': '<!doctype html><title>T</title><meta property="og:image" content="https://example.com/bild.png">',
  '/size-only':
    '<!doctype html><meta property="og:image:width" content="9"><meta property="og:image:height" content="9">',
}

let app: TestApp
let key: string
/** The URL of the page, of a page without any metadata, and of one that does not exist. */
let page: string
let bare: string
let missing: string

beforeAll(async () => {
  app = await startApp({
    env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000', URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.1, localhost' },
    origin(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/missing') return new Response('', { status: 404 })
      if (pathname === '/loop') return Response.redirect(request.url)
      if (pathname === '/short') return Response.redirect(otherHost(bare))
      if (pathname === '/favicon.ico') return new Response('', { status: 404 })
      const html = HTML[pathname] ?? PAGE
      return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })
    },
  })
  key = await app.createKey()
  page = `${app.origin}/artikel?a=1&b=2`
  bare = `${app.origin}/bare`
  missing = `${app.origin}/missing`
})
afterAll(() => app[Symbol.asyncDispose]())

/** The same URL at another name of the same server. */
const otherHost = (url: string) => url.replace('127.0.0.1', 'localhost')

interface Scenario {
  name: string
  /** A request as a client of the format sends it. */
  request: (url: string, ownKey: string) => Request
  /** The whole body for the page. */
  response: () => Body
  /** The whole body for the page without metadata. */
  empty: () => Body
  /** The whole body for the page that does not exist. */
  failure: Body
}

const NOT_FOUND = 'Failed to fetch URL: HTTP 404'
const query = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString()
const canonical = () => `${app.origin}/artikel`
const image = () => `${app.origin}/bild.png`
const icon = () => `${app.origin}/icon.png`

const SCENARIOS: Scenario[] = [
  {
    name: 'microlink',
    request: (url, ownKey) =>
      new Request(`${app.url}/compat/microlink?${query({ url })}`, { headers: { 'x-api-key': ownKey } }),
    response: () => ({
      status: 'success',
      data: {
        title: 'Ein Titel',
        description: 'Worum es geht',
        lang: 'de',
        author: 'Anna Muster',
        publisher: 'Die Zeitung',
        image: { url: image() },
        logo: { url: icon() },
        date: '2026-11-20T10:00:00Z',
        url: canonical(),
      },
      statusCode: 200,
    }),
    empty: () => ({
      status: 'success',
      data: {
        title: null,
        description: null,
        lang: null,
        author: null,
        publisher: null,
        image: null,
        logo: null,
        date: null,
        url: bare,
      },
      statusCode: 200,
    }),
    failure: { status: 'error', code: 'EFATAL', message: NOT_FOUND, data: {} },
  },
  {
    name: 'linkpreview, GET',
    request: (q, ownKey) => new Request(`${app.url}/compat/linkpreview?${query({ key: ownKey, q })}`),
    response: () => ({ title: 'Ein Titel', description: 'Worum es geht', image: image(), url: page }),
    empty: () => ({ title: '', description: '', image: '', url: bare }),
    failure: { title: '', description: NOT_FOUND, image: '', url: '', error: 502 },
  },
  {
    name: 'linkpreview, POST with its header and more fields',
    request: (q, ownKey) =>
      new Request(`${app.url}/compat/linkpreview`, {
        method: 'POST',
        headers: { 'x-linkpreview-api-key': ownKey },
        body: new URLSearchParams({ q, fields: 'site_name,locale,icon,canonical,image_x' }),
      }),
    response: () => ({
      title: 'Ein Titel',
      description: 'Worum es geht',
      image: image(),
      url: page,
      canonical: canonical(),
      locale: 'de_CH',
      site_name: 'Die Zeitung',
      icon: icon(),
    }),
    empty: () => ({ title: '', description: '', image: '', url: bare }),
    failure: { title: '', description: NOT_FOUND, image: '', url: '', error: 502 },
  },
  {
    name: 'opengraph',
    request: (url, ownKey) =>
      new Request(`${app.url}/compat/opengraph/api/1.1/site/${encodeURIComponent(url)}?${query({ app_id: ownKey })}`),
    response: () => {
      const graph = {
        title: 'Ein Titel',
        description: 'Worum es geht',
        type: 'article',
        url: canonical(),
        site_name: 'Die Zeitung',
        locale: 'de_CH',
        articlePublishedTime: '2026-11-20T10:00:00Z',
        articleAuthor: 'Anna Muster',
      }
      const hybridGraph = { ...graph, image: image(), imageWidth: 1200, imageHeight: 630, favicon: icon() }
      return {
        hybridGraph,
        htmlInferred: { ...hybridGraph, images: [image()] },
        openGraph: { ...graph, image: { url: image(), width: 1200, height: 630 } },
        url: page,
      }
    },
    empty: () => ({
      hybridGraph: { url: bare },
      htmlInferred: { url: bare, images: [] },
      openGraph: { url: bare },
      url: bare,
    }),
    failure: { error: { code: 502, message: NOT_FOUND } },
  },
  {
    name: 'iframely',
    request: (url, ownKey) => new Request(`${app.url}/compat/iframely?${query({ url, api_key: ownKey })}`),
    response: () => ({
      url: page,
      meta: {
        title: 'Ein Titel',
        description: 'Worum es geht',
        author: 'Anna Muster',
        site: 'Die Zeitung',
        canonical: canonical(),
        date: '2026-11-20T10:00:00Z',
      },
      links: {
        thumbnail: [{ href: image(), type: 'image', rel: ['thumbnail'], media: { width: 1200, height: 630 } }],
        icon: [{ href: icon(), type: 'image', rel: ['icon'] }],
      },
    }),
    empty: () => ({ url: bare, meta: { canonical: bare }, links: {} }),
    failure: { status: 502, error: NOT_FOUND, title: NOT_FOUND, detail: NOT_FOUND },
  },
  {
    // As Misskey's UrlPreviewService appends its query to the configured URL.
    name: 'summaly',
    request: (url, ownKey) => new Request(`${app.url}/compat/summaly/${ownKey}?${query({ url, lang: 'ja-JP' })}`),
    response: () => ({
      title: 'Ein Titel',
      icon: icon(),
      description: 'Worum es geht',
      thumbnail: image(),
      thumbnailStyle: 'summary_large_image',
      sitename: 'Die Zeitung',
      player: { url: null, width: null, height: null, allow: [] },
      activityPub: null,
      fediverseCreator: null,
      url: page,
    }),
    empty: () => ({
      title: null,
      icon: null,
      description: null,
      thumbnail: null,
      thumbnailStyle: null,
      sitename: null,
      player: { url: null, width: null, height: null, allow: [] },
      activityPub: null,
      fediverseCreator: null,
      url: bare,
    }),
    failure: { error: NOT_FOUND },
  },
  {
    // As @editorjs/link requests its `endpoint` with the configured `headers`.
    name: 'editorjs',
    request: (url, ownKey) =>
      new Request(`${app.url}/compat/editorjs?${query({ url })}`, { headers: { 'x-api-key': ownKey } }),
    response: () => ({
      success: 1,
      link: page,
      meta: {
        title: 'Ein Titel',
        description: 'Worum es geht',
        site_name: 'Die Zeitung',
        image: { url: image() },
      },
    }),
    empty: () => ({ success: 1, link: bare, meta: {} }),
    failure: { success: 0, message: NOT_FOUND },
  },
  {
    name: 'jsonlink',
    request: (url, ownKey) => new Request(`${app.url}/compat/jsonlink/extract?${query({ url, api_key: ownKey })}`),
    response: () => ({
      title: 'Ein Titel',
      description: 'Worum es geht',
      images: [image()],
      sitename: 'Die Zeitung',
      favicon: icon(),
      duration: expect.any(Number),
      domain: '127.0.0.1',
      url: page,
    }),
    empty: () => ({
      title: '',
      description: '',
      images: [],
      sitename: '',
      favicon: '',
      duration: expect.any(Number),
      domain: '127.0.0.1',
      url: bare,
    }),
    failure: { status: 502, message: NOT_FOUND },
  },
  {
    name: 'peekalink',
    request: (link, ownKey) =>
      new Request(`${app.url}/compat/peekalink/`, {
        method: 'POST',
        headers: { 'x-api-key': ownKey, 'content-type': 'application/json' },
        body: JSON.stringify({ link }),
      }),
    response: () => ({
      url: page,
      domain: '127.0.0.1',
      lastUpdated: expect.any(String),
      title: 'Ein Titel',
      description: 'Worum es geht',
      name: 'Die Zeitung',
      icon: { url: icon() },
      image: { url: image() },
    }),
    empty: () => ({ url: bare, domain: '127.0.0.1', lastUpdated: expect.any(String) }),
    failure: { message: NOT_FOUND },
  },
  {
    name: 'oembed',
    request: (url, ownKey) => new Request(`${app.url}/oembed?${query({ url, api_key: ownKey, format: 'json' })}`),
    response: () => ({
      version: '1.0',
      type: 'link',
      title: 'Ein Titel',
      author_name: 'Anna Muster',
      provider_name: 'Die Zeitung',
      provider_url: app.origin,
      thumbnail_url: image(),
      thumbnail_width: 1200,
      thumbnail_height: 630,
    }),
    empty: () => ({ version: '1.0', type: 'link', provider_url: app.origin }),
    failure: { error: NOT_FOUND },
  },
]

/** The status and body of a response. */
async function answer(sent: Promise<Response>): Promise<[status: number, body: Body]> {
  const response = await sent
  return [response.status, (await response.json()) as Body]
}

test('every format has a scenario', () => {
  const tested = new Set(SCENARIOS.map(({ name }) => name.split(',', 1)[0]!))
  expect(FORMATS.map(({ name }) => name).filter((name) => !tested.has(name))).toEqual([])
})

describe.each(SCENARIOS)('$name', ({ request, response, empty, failure }) => {
  test('a page', async () => {
    expect(await answer(fetch(request(page, key)))).toEqual([200, response()])
  })

  test('a parameter that it does not know is named, and no other', async () => {
    const ignored = async (sent: Request) => (await fetch(sent)).headers.get('x-ignored-parameters')
    const sent = request(page, key)
    const { method, headers } = sent
    const init = { method, headers, ...(method === 'POST' && { body: await sent.clone().text() }) }
    const more = new Request(`${sent.url}${sent.url.includes('?') ? '&' : '?'}nosuch=1`, init)
    expect([await ignored(sent), await ignored(more)]).toEqual([null, 'nosuch'])
  })

  test('a page without metadata', async () => {
    expect(await answer(fetch(request(bare, key)))).toEqual([200, empty()])
  })

  test('a page that does not exist', async () => {
    expect(await answer(fetch(request(missing, key)))).toEqual([502, failure])
  })

  test.each([
    ['an unknown key', () => request(page, UNKNOWN_KEY), 401, 'Invalid API key'],
    ['no key', () => request(page, ''), 401, 'Missing API key'],
    ['an invalid URL', () => request('ftp://example.com/', key), 400, 'Invalid URL: '],
    ['a private address', () => request('http://10.0.0.1/', key), 400, 'Invalid URL: '],
  ])('%s', async (_, invalid, status, message) => {
    const sent = invalid()
    // Without a key, the route of a key in the path is another one.
    if (sent.url.includes('/summaly/?')) return expect((await fetch(sent)).status).toBe(404)
    const [received, body] = await answer(fetch(sent))
    expect([received, JSON.stringify(body)]).toEqual([status, expect.stringContaining(message)])
  })

  test('quota headers and cache are those of /v1/metadata', async () => {
    const own = await app.createKey(`${Math.random()}@example.com`)
    const url = `${page}&of=${own}`
    const first = await fetch(request(url, own))
    const second = await fetch(request(url, own))
    const headersOf = ({ headers }: Response) =>
      ['x-cache', 'x-monthly-used', 'x-ratelimit-limit', 'cache-control', 'content-type'].map((name) =>
        headers.get(name),
      )
    expect([headersOf(first), headersOf(second)]).toEqual([
      ['MISS', '1', '1000', 'private, no-store', 'application/json'],
      ['HIT', '2', '1000', 'private, no-store', 'application/json'],
    ])
  })
})

describe('docs/formats.md', () => {
  test('has every format, with its route and the names of its key', () => {
    const routes = FORMATS.map(({ path, methods = ['GET'] }) => methods.map((method) => `${method} ${path}`))
    const documented = FORMAT_SECTIONS.map(({ intro }) =>
      [...intro.matchAll(/`((?:GET|POST) \/.+?)`/g)].map(([, route]) => route!),
    )
    expect(documented).toEqual(routes)
    const keys = FORMATS.map(({ keyParameters, keyHeader = [], responseParameters = [] }, i) =>
      [...keyParameters, ...responseParameters]
        .concat(keyHeader)
        .filter((name) => !FORMAT_SECTIONS[i]!.intro.includes(`\`${name}\``)),
    )
    expect(keys.flat()).toEqual([])
  })

  test('names the versions of the clients that are run here', () => {
    const clients = FORMAT_SECTIONS.flatMap(({ intro }) =>
      [...intro.matchAll(/for the client `(.+?)`\s(\S+?),\swhich was run/g)].map(([, name, version]) => [
        name,
        version,
      ]),
    )
    const run = ['@microlink/mql', 'peekalink', '@extractus/oembed-extractor'] as const
    expect(clients).toEqual(run.map((name) => [name, devDependencies[name]]))
  })

  test.each(FORMATS.map(({ name }, i) => ({ name, section: FORMAT_SECTIONS[i]! })))(
    'has the fields of $name',
    async ({ name, section: { response: fields, failure } }) => {
      // The last scenario of a format requests all of its fields.
      const { request } = SCENARIOS.findLast((one) => one.name.split(',', 1)[0] === name)!
      const [full, secure, empty, failed] = await Promise.all(
        [page, `${app.origin}/secure`, bare, missing].map(async (url) => (await fetch(request(url, key))).json()),
      )
      const documented = fields.map(({ path }) => path)
      const more = pathsOf(secure).filter((path) => valueAt(secure, path) !== null)
      expect(documented.toSorted()).toEqual([...new Set([...pathsOf(full), ...more])].toSorted())
      expect(failure.map(({ path }) => path).toSorted()).toEqual(pathsOf(failed).toSorted())

      const sent = `${app.url}/v1/metadata?${query({ url: page, fields: 'final_url,image_size', api_key: key })}`
      const [, metadata] = await answer(fetch(sent))
      const other = fields.filter(({ path, value }) => {
        const expected = expectedValue(value, metadata)
        return expected !== undefined && !Bun.deepEquals(valueAt(full, path), expected.value)
      })
      expect(other).toEqual([])

      const without = fields.map(({ path }) => {
        const value = valueAt(empty, path)
        if (value === undefined) return 'omitted'
        return value === null || value === '' || Bun.deepEquals(value, []) ? `\`${JSON.stringify(value)}\`` : '–'
      })
      expect(fields.map(({ without: cell }) => cell?.split(',', 1)[0])).toEqual(without)
    },
  )
})

describe('the clients of other services', () => {
  test('@microlink/mql', async () => {
    const endpoint = `${app.url}/compat/microlink`
    const { status, data } = await mql(page, { endpoint, apiKey: key })
    expect([status, data.title, data.image?.url]).toEqual(['success', 'Ein Titel', image()])

    const failed = await mql('http://10.0.0.1/', { endpoint, apiKey: key }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'MicrolinkError', status: 'fail', code: 'EINVALURL', statusCode: 400 })
    const refused = await mql(page, { endpoint, apiKey: UNKNOWN_KEY }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'EAUTH', description: 'Invalid API key', statusCode: 401 })
  })

  test('peekalink', async () => {
    const client = new PeekalinkClient({ apiUrl: `${app.url}/compat/peekalink`, apiKey: key })
    expect(await client.preview(page)).toMatchObject({ title: 'Ein Titel', image: { url: image() } })
    const refused = new PeekalinkClient({ apiUrl: `${app.url}/compat/peekalink`, apiKey: UNKNOWN_KEY })
    expect(await refused.preview(page).catch(String)).toContain('401')
  })

  test('an oEmbed response for an image of unknown size has no thumbnail', async () => {
    const parameters = query({ url: `${app.origin}/unsized`, api_key: key })
    expect(await (await fetch(`${app.url}/oembed?${parameters}`)).json()).not.toHaveProperty('thumbnail_url')
    const metadata = await app.metadata(key, '/unsized')
    expect(await metadata.json()).toMatchObject({ image: image() })
  })

  test('@extractus/oembed-extractor', async () => {
    setProviderList([
      {
        provider_name: 'urlmeta',
        provider_url: app.url,
        endpoints: [{ url: `${app.url}/oembed`, schemes: [`${app.origin}/*`] }],
      },
    ])
    // It requests every provider over HTTPS.
    const fetcher = (url: string) => fetch(url.replace(/^https:/, 'http:'), { headers: { 'x-api-key': key } })
    expect(await extract(page, {}, fetcher)).toMatchObject({ type: 'link', title: 'Ein Titel', version: '1.0' })
  })
})

test.each([
  ['Microlink', '/compat/microlink?url=URL', (url: string) => ({ data: { url } })],
  ['LinkPreview', '/compat/linkpreview?q=URL', (url: string) => ({ url })],
  [
    'OpenGraph.io',
    '/compat/opengraph/api/1.1/site/URL',
    (url: string) => ({ hybridGraph: { url }, openGraph: { url } }),
  ],
  ['Iframely', '/compat/iframely?url=URL', (url: string) => ({ meta: { canonical: url } })],
  ['oEmbed', '/oembed?url=URL', (url: string) => ({ provider_url: new URL(url).origin })],
])('%s gets the URL after redirects of a page without a canonical one', async (_, path, body) => {
  const short = encodeURIComponent(`${app.origin}/short`)
  const sent = fetch(app.url + path.replace('URL', short), { headers: { 'x-api-key': key } })
  const [status, received] = await answer(sent)
  expect(status).toBe(200)
  expect(received).toMatchObject(body(otherHost(bare)))
})

test.each([
  [
    'an image over https',
    '/secure',
    { image: 'https://example.com/bild.png', imageSecureUrl: 'https://example.com/bild.png' },
  ],
  ['an image over http', '/unsized', { image: 'IMAGE' }],
  ['the size of no image', '/size-only', {}],
])('OpenGraph.io, %s', async (_, path, images) => {
  const url = `${app.origin}${path}`
  const sent = fetch(`${app.url}/compat/opengraph/api/1.1/site/${encodeURIComponent(url)}?${query({ app_id: key })}`)
  const [, { hybridGraph }] = await answer(sent)
  const { url: _url, title: _title, ...others } = hybridGraph as Body
  expect(others).toEqual(JSON.parse(JSON.stringify(images).replace('IMAGE', image())))
})

test.each([
  ['/loop', 'EMAXREDIRECTS'],
  ['/missing', 'EFATAL'],
])('Microlink, the code of a failed fetch of %s', async (path, code) => {
  const sent = fetch(`${app.url}/compat/microlink?${query({ url: app.origin + path, apiKey: key })}`)
  expect(await answer(sent)).toEqual([502, expect.objectContaining({ status: 'error', code })])
})

test('Microlink, the code of a timeout', () => {
  const { kind, message } = new FetchError('timeout', { reason: 'timed out after 5000 ms' })
  const microlink = FORMATS.find(({ name }) => name === 'microlink')
  expect(microlink?.failure({ kind, message, status: 502 })).toMatchObject({ code: 'ETIMEOUT' })
})

test.each([
  ['/v1/metadata', (url: string) => ({ url, api_key: `${key}\n` })],
  ['/compat/linkpreview', (q: string) => ({ key: `${key} `, q })],
  ['/compat/iframely', (url: string) => ({ url, api_key: ` ${key}` })],
])('%s ignores spaces around the key in its parameter', async (path, parameters) => {
  expect((await fetch(`${app.url}${path}?${query(parameters(page))}`)).status).toBe(200)
})

test('a request of HTTP/1.0 without a host fails in its format', async () => {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  socket.end(`GET /compat/microlink?url=x&apiKey=${key} HTTP/1.0\r\n\r\n`)
  expect(await text(socket)).toContain('"code":"EINVALURL"')
})

test.each([
  ['microlink', (url: string) => `/compat/microlink?${query({ url, force: 'true', apiKey: key })}`],
  [
    'opengraph',
    (url: string) =>
      `/compat/opengraph/api/1.1/site/${encodeURIComponent(url)}?${query({ app_id: key, cache_ok: 'false' })}`,
  ],
  ['iframely', (url: string) => `/compat/iframely?${query({ url, refresh: '1', key })}`],
])('%s asks for a fresh result', async (name, path) => {
  const url = `${app.origin}/fresh-${name}`
  for (let i = 0; i < 2; i++) {
    expect((await fetch(app.url + path(url))).headers.get('x-cache')).toBe('MISS')
  }
  expect(app.requestCounts.get(`/fresh-${name}`)).toBe(2)
})

test.each([
  ['an unknown format', 'GET', '/compat/other', 404, { error: 'Not found' }],
  ['another method', 'POST', '/compat/microlink', 405, { message: 'Method not allowed' }],
  ['another method of a POST format', 'GET', '/compat/peekalink', 405, { message: 'Method not allowed' }],
  ['oEmbed as XML', 'GET', '/oembed?format=xml&api_key=KEY', 501, { error: 'Only format=json is available' }],
  ['oEmbed as XML without a key', 'GET', '/oembed?format=xml', 401, { error: 'Missing API key' }],
])('%s', async (_, method, path, status, body) => {
  // A browser also gets JSON.
  const sent = fetch(app.url + path.replace('KEY', key), { method, headers: { accept: 'text/html' } })
  const [received, failure] = await answer(sent)
  expect([received, failure]).toEqual([status, expect.objectContaining(body)])
})

test.each([
  ['no JSON', '{"link": "http'],
  ['no object', '[1]'],
  ['a number', '{"link": 1}'],
  ['null', 'null'],
  ['nothing', ''],
])('a posted body that is %s', async (_, body) => {
  const sent = fetch(`${app.url}/compat/peekalink`, { method: 'POST', headers: { 'x-api-key': key }, body })
  expect(await answer(sent)).toEqual([400, { message: 'Invalid URL: the URL is missing' }])
})

test('JSON may begin with a line break', async () => {
  const body = `\n${JSON.stringify({ link: page })}`
  const sent = fetch(`${app.url}/compat/peekalink`, { method: 'POST', headers: { 'x-api-key': key }, body })
  expect(await answer(sent)).toEqual([200, expect.objectContaining({ title: 'Ein Titel' })])
})

test.each([
  ['/compat/linkpreview', '1'.repeat(32)],
  ['/sign-in/link', '2'.repeat(32)],
])('a body for %s that is cut off is not an internal error', async (path, traceId) => {
  const { hostname, port } = new URL(app.url)
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Length: 9',
    `traceparent: 00-${traceId}-${'1'.repeat(16)}-01`,
  ]
  connect(Number(port), hostname).end(`${head.join('\r\n')}\r\n\r\n{"`)
  expect(await app.logged({ traceId, route: path })).toMatchObject({ status: 400, outcome: 'invalid_request' })
})

describe('the key in a header is checked before the body is read', () => {
  const POST_FORMATS = FORMATS.filter(({ methods }) => methods?.includes('POST'))
  const withKey = (name: string) => ({ [name]: UNKNOWN_KEY })
  const headersOf = ({ keyHeader }: (typeof FORMATS)[number]) => ['X-API-Key', ...(keyHeader ? [keyHeader] : [])]
  const cases = POST_FORMATS.flatMap((format) => [
    ...headersOf(format).map((name) => [`a wrong key in ${name}`, format, withKey(name)] as const),
    // Without a header, the key can only be in the body if the format has a parameter for it.
    ...(format.keyParameters.length === 0 ? [['no key', format, {}] as const] : []),
  ])

  test.each(cases.map(([name, format, headers]) => [name, format.path, headers] as const))(
    '%s for %s',
    async (_, path, headers) => {
      let received = 0
      const incomingBodies: IncomingBodies = {
        textOf: async () => {
          received++
          return '[['
        },
        count: () => 0,
      }
      const unauthorized = () => Promise.reject(new AppError('unauthorized', 'Invalid API key'))
      const respond = createMeteredApi({
        admission: { authenticate: unauthorized } as never,
        accessLog: {} as never,
        cachedReader: {} as never,
        clientOf: () => null,
        isOriginAllowed: async () => false,
        settings: (() => ({ allow: [] })) as never,
        now: () => 0,
      })
      const routes = new Elysia()
        .onError(({ error }) => (error as Error).message)
        .use(formatRoutes(respond, incomingBodies))
      const sent = new Request(`http://localhost${path}`, { method: 'POST', headers, body: '[[' })
      expect([await (await routes.handle(sent)).text(), received]).toEqual(['Invalid API key', 0])
    },
  )

  test.each(cases.map(([name, format, headers], i) => [name, format.path, headers, String(i + 3).repeat(32)] as const))(
    '%s for %s: 401, even if the body is cut off',
    async (_, route, headers, traceId) => {
      const { hostname, port } = new URL(app.url)
      const head = [
        `POST ${route} HTTP/1.1`,
        'Host: localhost',
        'Content-Length: 9',
        `traceparent: 00-${traceId}-${'1'.repeat(16)}-01`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ]
      connect(Number(port), hostname).end(`${head.join('\r\n')}\r\n\r\n{"`)
      expect(await app.logged({ traceId, route })).toMatchObject({ status: 401, outcome: 'unauthorized' })
    },
  )

  test('a connection is used again after a large body that was not read', async () => {
    const { hostname, port } = new URL(app.url)
    const socket = connect(Number(port), hostname)
    const body = 'x'.repeat(240_000)
    const head = (extra: string) =>
      `POST /compat/peekalink HTTP/1.1\r\nHost: localhost\r\n${extra}Content-Length: 240000\r\n\r\n`
    socket.write(head('') + body)
    socket.end(head('Connection: close\r\n') + body)
    expect((await text(socket)).match(/HTTP\/1\.1 401/g)).toHaveLength(2)
  })
})

test('logs name the format and never the key', async () => {
  const own = await app.createKey('log@example.com')
  await fetch(`${app.url}/compat/summaly/${own}?${query({ url: page })}`)
  await fetch(`${app.url}/compat/summaly/${own}?${query({ url: missing })}`)
  const line = await app.logged({ route: '/compat/summaly/:key', status: 502 })
  expect(line).toMatchObject({ outcome: 'fetch_failed', host: new URL(app.origin).host })
  expect(JSON.stringify(app.log)).not.toContain(own)
})
