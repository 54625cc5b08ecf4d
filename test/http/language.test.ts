import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openDnsServer } from '../origin/dns-server.ts'
import { chromium, describeChromium } from '../requirements.ts'
import { type Body, startApp, type TestApp } from './app.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const DEFAULT = 'en-US,en;q=0.9,*;q=0.5'
const HTML = { 'content-type': 'text/html; charset=utf-8' }

/** Hosts with a rule, and one without. */
const HOSTS = ['any.test', 'rule.test', 'other.test', 'header.test']
const RULES = [
  { hosts: ['rule.test', 'other.test'], language: 'nl-BE' },
  { hosts: ['header.test'], headers: { 'Accept-Language': 'sv', 'X-Rule': 's3cret' }, insecure: true },
]

/**
 * Puts into the title what the document was requested with, what scripts see, and what a request to its own origin sent.
 * It also sends requests to another host, one of them by a redirect. A page with an `og:title` is complete at once.
 */
const SCRIPT = `
  const other = location.hostname === 'any.test' ? 'header.test' : 'any.test'
  await fetch('http://' + other + ':' + location.port + '/foreign')
  await fetch('/away?' + other)
  const api = await (await fetch('/api')).text()
  const seen = [...navigator.languages, Intl.DateTimeFormat().resolvedOptions().locale].join(' ')
  const title = [document.body.id, seen, api].join('|')
  document.head.innerHTML = '<meta property=og:title content="' + title + '"><meta name=description content=D>'`

/** What the origin was asked: host, path, language and the secret of a rule. */
interface Asked {
  host: string
  path: string
  language: string | null
  secret: string | null
}

interface Setup {
  app: TestApp
  key: string
  asked: Asked[]
  /** The title of the page, or the error. */
  titleOf(host: string, path: string, parameters?: Record<string, string>): Promise<string>
  get(host: string, path: string, parameters?: Record<string, string>): Promise<Response>
}

/** An app and an origin that puts the language it was asked for into titles. */
async function openSetup(stack: AsyncDisposableStack, env: Record<string, string>): Promise<Setup> {
  const asked: Asked[] = []
  const dir = mkdtempSync(join(tmpdir(), 'urlmeta-test-'))
  stack.defer(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'sites.json'), JSON.stringify(RULES), { mode: 0o600 })
  const dns = stack.use(
    await openDnsServer(Object.fromEntries(HOSTS.map((host) => [host, () => ({ A: ['127.0.0.1'] })]))),
  )
  const app = stack.use(
    await startApp({
      env: {
        URLMETA_DNS_SERVERS: dns.address,
        URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
        URLMETA_SITES: join(dir, 'sites.json'),
        URLMETA_PLAN_FREE_PER_MINUTE: '1000',
        ...env,
      },
      async origin({ url, headers }) {
        const { hostname, pathname, port, search } = new URL(url)
        const language = headers.get('accept-language')
        const secret = headers.get('x-rule')
        asked.push({ host: hostname, path: pathname, language, secret })
        if (pathname === '/favicon.ico') return new Response('', { status: 404 })
        if (pathname === '/to-rule') return Response.redirect(`http://rule.test:${port}/there`)
        if (pathname === '/to-any') return Response.redirect(`http://any.test:${port}/there`)
        if (pathname === '/leave') return Response.redirect(`http://any.test:${port}/rendered`)
        if (pathname === '/away') return Response.redirect(`http://${search.slice(1)}:${port}/foreign`)
        if (pathname === '/slow') await Bun.sleep(200)
        if (pathname === '/oembed') return Response.json({ version: '1.0', type: 'link', title: `oEmbed ${language}` })
        if (pathname === '/with-oembed') {
          const link = `<link rel=alternate type="application/json+oembed" href="/oembed">`
          return new Response(`${link}<div id=root></div>`, { headers: HTML })
        }
        const named = [language, secret].filter((part) => part !== null).join(' ')
        if (pathname === '/api' || pathname === '/foreign') {
          return new Response(named, { headers: { 'access-control-allow-origin': '*' } })
        }
        if (pathname === '/rendered') {
          return new Response(`<body id="${named}"><div id=root></div><script type=module>${SCRIPT}</script>`, {
            headers: HTML,
          })
        }
        return new Response(`<title>${named}</title><meta name=description content=D>`, { headers: HTML })
      },
    }),
  )
  const key = await app.createKey()
  const { port } = new URL(app.origin)
  const get: Setup['get'] = (host, path, parameters = {}) => {
    const query = new URLSearchParams({ url: `http://${host}:${port}${path}`, timeout: '15000', ...parameters })
    return fetch(`${app.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })
  }
  return {
    app,
    key,
    asked,
    get,
    async titleOf(...request) {
      const { title, error } = (await (await get(...request)).json()) as { title?: string; error?: string }
      return title ?? error ?? ''
    },
  }
}

describe.each(['0', '1'])('with %s workers', (workers) => {
  const stack = new AsyncDisposableStack()
  let setup: Setup
  beforeAll(async () => void (setup = await openSetup(stack, { URLMETA_WORKERS: workers })))
  afterAll(() => stack.disposeAsync())

  test.each([
    ['the default', 'any.test', '/1', {}, DEFAULT],
    ['a parameter', 'any.test', '/2', { language: 'de-CH,de' }, 'de-CH,de'],
    ['a parameter with weights and spaces', 'any.test', '/3', { language: 'de, *; q=0.5' }, 'de, *; q=0.5'],
    ['a rule', 'rule.test', '/1', {}, 'nl-BE'],
    ['a parameter rather than a rule', 'rule.test', '/2', { language: 'fr' }, 'fr'],
    ['the header of a rule', 'header.test', '/1', {}, 'sv s3cret'],
    ['after a redirect to a host with a rule', 'any.test', '/to-rule', {}, 'nl-BE'],
    ['after a redirect from a host with a rule', 'rule.test', '/to-any', {}, DEFAULT],
    ['a parameter after a redirect', 'rule.test', '/to-any', { language: 'fr' }, 'fr'],
  ] as const)('a page is requested in the language of %s', async (_, host, path, parameters, expected) => {
    expect(await setup.titleOf(host, path, parameters)).toBe(expected)
  })

  test('oEmbed and the favicon are requested in the same language', async () => {
    setup.asked.length = 0
    expect(await setup.titleOf('other.test', '/with-oembed', { language: 'it' })).toBe('oEmbed it')
    expect(setup.asked.map(({ path, language }) => [path, language])).toEqual([
      ['/with-oembed', 'it'],
      ['/oembed', 'it'],
      ['/favicon.ico', 'it'],
    ])
  })

  test('each language is cached for itself, whatever its case and spaces', async () => {
    const cacheOf = async (parameters: Record<string, string>) => {
      const response = await setup.get('any.test', '/cached', parameters)
      return [response.headers.get('x-cache'), ((await response.json()) as Body)['title']]
    }
    expect(await cacheOf({ language: 'de' })).toEqual(['MISS', 'de'])
    expect(await cacheOf({})).toEqual(['MISS', DEFAULT])
    expect(await cacheOf({ language: 'fr, en' })).toEqual(['MISS', 'fr, en'])
    expect(await cacheOf({ language: 'de' })).toEqual(['HIT', 'de'])
    expect(await cacheOf({ language: 'FR,en' })).toEqual(['HIT', 'fr, en'])
    expect(await cacheOf({})).toEqual(['HIT', DEFAULT])
    expect(await cacheOf({ language: 'de', cache: 'false' })).toEqual(['MISS', 'de'])
    expect(await cacheOf({})).toEqual(['HIT', DEFAULT])
  })

  test('concurrent requests share a fetch only if they ask for the same language', async () => {
    setup.asked.length = 0
    const languages = [undefined, 'de', 'fr', undefined, 'de', 'fr']
    const titles = languages.map((language) => setup.titleOf('any.test', '/slow', language ? { language } : {}))
    expect(await Promise.all(titles)).toEqual(languages.map((language) => language ?? DEFAULT))
    const pages = setup.asked.filter(({ path }) => path === '/slow').map(({ language }) => language)
    expect(pages.toSorted()).toEqual(['de', DEFAULT, 'fr'])
  })
})

describe('the parameter', () => {
  const stack = new AsyncDisposableStack()
  let setup: Setup
  beforeAll(async () => void (setup = await openSetup(stack, { URLMETA_ACCEPT_LANGUAGE: 'pt-BR,pt;q=0.5' })))
  afterAll(() => stack.disposeAsync())

  test('is the language of the variable if it is missing', async () => {
    expect(await setup.titleOf('any.test', '/')).toBe('pt-BR,pt;q=0.5')
    expect(await setup.titleOf('rule.test', '/')).toBe('nl-BE')
  })

  test.each([
    ['100 characters', `de,${'abcdefgh-'.repeat(10)}a-bcdef`],
    ['a weight of 0', 'de,fr;q=0'],
    ['three digits', 'de;q=0.123,*;q=1.000'],
    ['tabs', 'de\t,\tfr'],
  ])('may have %s', async (_, language) => {
    expect(await setup.titleOf('any.test', `/${encodeURIComponent(language)}`, { language })).toBe(
      language.replace('\t,\t', ' , '),
    )
  })

  test.each([
    ['empty', ''],
    ['101 characters', `de,${'abcdefgh-'.repeat(10)}a-bcdefg`],
    ['an underscore', 'de_CH'],
    ['a subtag of nine characters', 'abcdefghi'],
    ['a number first', '1de'],
    ['an empty item', 'de,,fr'],
    ['a weight over 1', 'de;q=1.1'],
    ['four digits', 'de;q=0.1234'],
    ['another parameter', 'de;level=1'],
    ['a line feed', 'de\n'],
    ['another header', 'de\r\nX-Rule: 1'],
    ['another script', 'дe'],
  ])('is 400 with %s', async (_, language) => {
    setup.asked.length = 0
    const response = await setup.get('any.test', '/', { language })
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'Invalid language: must be an Accept-Language value of at most 100 characters' },
    ])
    expect(setup.asked).toEqual([])
  })

  test.each([
    ['summaly', 'lang', 'ja-JP', 'ja-JP'],
    ['summaly', 'lang', 'ja_JP', 'pt-BR,pt;q=0.5'],
    ['opengraph/api/1.1/site', 'accept_lang', 'de,en;q=0.9', 'de,en;q=0.9'],
    ['opengraph/api/1.1/site', 'accept_lang', 'auto', 'pt-BR,pt;q=0.5'],
    ['microlink', 'lang', 'de', 'pt-BR,pt;q=0.5'],
  ])('of the format %s is %s: %s', async (format, name, value, expected) => {
    const { app, key } = setup
    const url = `${app.origin}/${format}/${value}`
    const path = { summaly: `summaly/${key}` }[format] ?? format
    const target = format.startsWith('opengraph') ? `${path}/${encodeURIComponent(url)}` : path
    const response = await fetch(`${app.url}/compat/${target}?${new URLSearchParams({ url, [name]: value })}`, {
      headers: { 'x-api-key': key },
    })
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(`"${expected}"`)])
  })
})

describeChromium('Chromium', () => {
  const stack = new AsyncDisposableStack()
  let setup: Setup
  beforeAll(async () => void (setup = await openSetup(stack, { URLMETA_CHROMIUM: chromium!, URLMETA_WORKERS: '1' })))
  afterAll(() => stack.disposeAsync())

  test.each([
    ['the default', 'any.test', {}, DEFAULT, 'en-US en en-US', 'en-US'],
    [
      'a parameter',
      'any.test',
      { language: 'fr;q=0.5,de-CH,*;q=0.1' },
      'fr;q=0.5,de-CH,*;q=0.1',
      'de-CH fr de-CH',
      'de-CH',
    ],
    ['a rule', 'rule.test', {}, 'nl-BE', 'nl-BE nl-BE', 'nl-BE'],
    ['a parameter rather than a rule', 'rule.test', { language: 'fr' }, 'fr', 'fr fr', 'fr'],
    [
      'a language that it does not know',
      'any.test',
      { language: 'abcdefgh,da' },
      'abcdefgh,da',
      'abcdefgh da da',
      'da',
    ],
    ['a language that would end it', 'any.test', { language: 'root,i-x' }, 'root,i-x', 'root i-x en-US', 'en-US'],
    ['any language', 'any.test', { language: '*' }, '*', 'en-US en-US', 'en-US'],
  ] as const)('requests a page in %s, and its scripts see it', async (_, host, parameters, sent, seen, api) => {
    setup.asked.length = 0
    expect(await setup.titleOf(host, '/rendered', parameters)).toBe([sent, seen, api].join('|'))
    const documents = setup.asked.filter(({ path }) => path === '/rendered')
    expect(documents.map(({ language }) => language)).toEqual([sent, sent])
  })

  test.each([
    ['with the page and to its own origin', 'header.test', '/rendered', 'sv s3cret|en-US en en-US|en-US s3cret'],
    ['but not after a redirect to another host', 'header.test', '/leave', `${DEFAULT}|en-US en en-US|en-US`],
  ])('sends the headers of a rule %s', async (_, host, path, title) => {
    setup.asked.length = 0
    expect(await setup.titleOf(host, path)).toBe(title)
    const sent = setup.asked.filter(({ secret }) => secret !== null).map((one) => `${one.host}${one.path}`)
    const own = path === '/leave' ? ['/leave', '/leave'] : ['/api', '/away', '/favicon.ico', '/rendered', '/rendered']
    expect(sent.toSorted()).toEqual(own.map((ownPath) => `header.test${ownPath}`))
    // Both requests to the other host were sent, without it.
    expect(setup.asked.filter((one) => one.path === '/foreign').map(({ secret }) => secret)).toEqual([null, null])
  })
})
