import { describe, expect, test } from 'bun:test'

import { extractHtml } from '../../../src/core/extract/extract.ts'
import type { Metadata } from '../../../src/core/extract/fields/metadata.ts'
import {
  chooseMethod,
  isBareShell,
  isChallengeOrLogin,
  MIN_HEADLESS_MS,
  needsOembed,
  prefersRendered,
  type HttpResult,
  type MethodResult,
  type MethodReason,
} from '../../../src/core/fetch/method.ts'
import type { ContentKind } from '../../../src/core/fetch/content-type.ts'

const url = new URL('https://site.test/a')
const OPTIONS = { hasBrowser: true, remainingMs: 5_000, isForced: false }

const httpResult = (html: string, status = 200, kind: ContentKind = 'html'): MethodResult => {
  const { metadata, evidence } = extractHtml({ bytes: new TextEncoder().encode(html), encoding: 'utf-8', url })
  return { status, kind, metadata, evidence, interstitial: evidence.interstitial }
}
const withoutPage = (status: number, kind: ContentKind): HttpResult => ({
  status,
  kind,
  evidence: null,
  interstitial: null,
})

const words = (count: number) => 'four '.repeat(count)
const SCRIPT = '<script type="module" src="/assets/index.js"></script>'
const OG = '<meta property="og:title" content="T"><meta property="og:description" content="D">'
const PLEA = '<noscript>You need to enable JavaScript to run this app.</noscript>'

describe('shells are rendered', () => {
  test.each<[name: string, reason: MethodReason, html: string]>([
    ['React', 'empty_mount_point', `<title>React App</title>${PLEA}<div id="root"></div>${SCRIPT}`],
    [
      'React with a static description',
      'empty_mount_point',
      `<title>React App</title><meta name="description" content="Web site"><body>${PLEA}<div id="root"></div>${SCRIPT}`,
    ],
    ['Vue', 'empty_mount_point', `<title>Vite App</title><body><div id="app"></div>${SCRIPT}`],
    ['Angular', 'empty_mount_point', `<title>Shop</title><body><app-root></app-root>${SCRIPT}`],
    ['Angular with a loading message', 'empty_mount_point', `<body><app-root>Loading…</app-root>${SCRIPT}`],
    ['Svelte', 'empty_mount_point', `<title>Svelte</title><body><div id="svelte"></div>${SCRIPT}`],
    ['Next, client only', 'empty_mount_point', `<title>x</title><body><div id="__next"></div>${SCRIPT}`],
    ['Nuxt as SPA', 'empty_mount_point', `<title>x</title><body><div id="__nuxt"></div>${SCRIPT}`],
    ['Gatsby, client only', 'empty_mount_point', `<body><div id="___gatsby"></div>${SCRIPT}`],
    ['Ionic', 'empty_mount_point', `<title>x</title><body><ion-app></ion-app>${SCRIPT}`],
    ['Quasar', 'empty_mount_point', `<title>x</title><body><div id="q-app"></div>${SCRIPT}`],
    [
      'Ember',
      'empty_body',
      `<title>Blog</title><body><script src="/vendor.js"></script><script src="/app.js"></script>`,
    ],
    [
      'Flutter web',
      'empty_body',
      `<title>app</title><meta name="description" content="A new Flutter project."><body>
       <script src="flutter_bootstrap.js" async></script>`,
    ],
    ['a mount point with an unknown name', 'empty_body', `<title>Ours</title><body><div id="place"></div>${SCRIPT}`],
    ['a redirect by script', 'empty_body', `<title>Redirecting</title><body><script>location = '/b'</script>`],
    [
      'noscript after blank ones',
      'asks_for_scripts',
      `<title>x</title><body>${'<noscript> </noscript>'.repeat(8)}${PLEA}<header>${words(40)}</header>${SCRIPT}`,
    ],
    ['noscript only', 'asks_for_scripts', `<title>x</title><body>${PLEA}<header>${words(40)}</header>${SCRIPT}`],
    ['a template in the title', 'template_title', `<title>{{ page.title }}</title><body><p>${words(200)}</p>${SCRIPT}`],
    [
      'a blank og:title',
      'template_title',
      `<title>Loading…</title><meta property="og:title" content=" "><body>${words(9)}${SCRIPT}`,
    ],
    ['a template in og:title', 'template_title', `<meta property="og:title" content="{{title}}"><body>${words(200)}`],
    [
      'a header and a footer around the mount point',
      'empty_mount_point',
      `<title>x</title><body><header>${words(20)}</header><div id="root"></div><footer>${words(20)}</footer>${SCRIPT}`,
    ],
    [
      'og: tags of the site, without a description',
      'empty_mount_point',
      `<title>x</title><meta property="og:site_name" content="S"><body><div id="app"></div>${SCRIPT}`,
    ],
    ['text without title or description', 'no_metadata', `<body><p>${words(100)}</p>${SCRIPT}`],
  ])('%s', (_, reason, html) => expect(chooseMethod(httpResult(html), OPTIONS)).toEqual({ method: 'headless', reason }))
})

describe('pages with metadata are not rendered', () => {
  test.each<[name: string, reason: MethodReason, html: string]>([
    ['an article', 'complete', `<title>T</title><meta name="description" content="D"><body>${words(200)}${SCRIPT}`],
    ['a title and text', 'complete', `<title>T</title><body>${words(200)}${SCRIPT}`],
    ['og: tags and an empty mount point', 'complete', `<head>${OG}</head><body><app-root></app-root>${SCRIPT}`],
    ['a filled mount point', 'complete', `<title>T</title><body><div id="__next">${words(200)}</div>${SCRIPT}`],
    [
      'a small mount point in a large page',
      'complete',
      `<title>T</title><body>${words(200)}<div id="app"></div>${SCRIPT}`,
    ],
    ['og: tags and no text', 'complete', `<title>T</title><meta property="og:image" content="/i.png"><body>${SCRIPT}`],
    ['noscript with text', 'complete', `<title>T</title><body>${PLEA}<p>${words(200)}</p>${SCRIPT}`],
    [
      'a placeholder as title, with og:title',
      'complete',
      `<title>Loading…</title><meta property="og:title" content="T"><body>${SCRIPT}`,
    ],
    ['a template in the title, with og: tags', 'complete', `<head><title>{{ t }}</title>${OG}</head><body>${SCRIPT}`],
    ['a title about templates', 'complete', `<title>What {{ and }} mean</title><body>${words(200)}${SCRIPT}`],
    ['a mount point without scripts', 'no_scripts', `<title>T</title><body><div id="root"></div>`],
    ['an empty page without scripts', 'no_scripts', ''],
    ['a data block is not a script', 'no_scripts', `<title>T</title><body><script type="application/json">{}</script>`],
    [
      'an article that quotes a challenge',
      'complete',
      `<title>Bots</title><body><p>"Checking your browser" ${words(500)}</p>${SCRIPT}`,
    ],
  ])('%s', (_, reason, html) => expect(chooseMethod(httpResult(html), OPTIONS)).toEqual({ method: 'http', reason }))
})

describe('both sides of each limit', () => {
  const ink = (count: number) => 'x'.repeat(count)
  const mount = (inside: number, around: number) =>
    `<title>T</title><body><p>${ink(around)}</p><div id="root">${ink(inside)}</div>${SCRIPT}`
  test.each<[name: string, html: string, isRendered: boolean]>([
    ['60 characters in the mount point', mount(60, 20), true],
    ['61 characters in the mount point', mount(61, 20), false],
    ['300 characters in all', mount(0, 300), true],
    ['301 characters in all', mount(0, 301), false],
    ['60 characters in a body of scripts', `<title>T</title><body>${ink(60)}${SCRIPT}`, true],
    ['61 characters in a body of scripts', `<title>T</title><body>${ink(61)}${SCRIPT}`, false],
    ['300 characters with a request for JavaScript', `<title>T</title><body>${PLEA}${ink(300)}${SCRIPT}`, true],
    ['301 characters with a request for JavaScript', `<title>T</title><body>${PLEA}${ink(301)}${SCRIPT}`, false],
  ])('%s', (_, html, isRendered) =>
    expect(chooseMethod(httpResult(html), OPTIONS).method).toBe(isRendered ? 'headless' : 'http'),
  )

  test.each([
    [MIN_HEADLESS_MS, 'headless', 'blocked_status'],
    [MIN_HEADLESS_MS - 1, 'http', 'no_time'],
    [0, 'http', 'no_time'],
  ] as const)('%d ms left', (remainingMs, method, reason) =>
    expect(chooseMethod(withoutPage(403, 'html'), { ...OPTIONS, remainingMs })).toEqual({ method, reason }),
  )
})

describe('blocks', () => {
  const challenge = '<title>Just a moment...</title><body><script>window._cf_chl_opt = {}</script>'
  test.each<[name: string, reason: MethodReason, result: HttpResult]>([
    ['401', 'blocked_status', withoutPage(401, 'html')],
    ['403', 'blocked_status', httpResult(`<title>Forbidden</title>`, 403)],
    ['403 without a body', 'blocked_status', withoutPage(403, 'empty')],
    ['403 as plain text', 'blocked_status', withoutPage(403, 'other')],
    ['429', 'blocked_status', withoutPage(429, 'html')],
    ['503', 'blocked_status', withoutPage(503, 'html')],
    ['503 with a complete page', 'blocked_status', httpResult(`<head>${OG}</head>`, 503)],
    ['a challenge with 200', 'challenge', httpResult(challenge)],
    ['a challenge with 405', 'challenge', httpResult(challenge, 405)],
  ])('%s is tried in a browser', (_, reason, result) =>
    expect(chooseMethod(result, OPTIONS)).toEqual({ method: 'headless', reason }),
  )

  test.each<[name: string, reason: MethodReason, result: HttpResult]>([
    ['404', 'error_status', httpResult(`<title>Not found</title><body><div id="root"></div>${SCRIPT}`, 404)],
    ['410', 'error_status', withoutPage(410, 'html')],
    ['400', 'error_status', withoutPage(400, 'html')],
    ['500', 'error_status', withoutPage(500, 'html')],
    ['502', 'error_status', withoutPage(502, 'html')],
    ['an image', 'not_html', withoutPage(200, 'image')],
    ['a PDF', 'not_html', withoutPage(200, 'other')],
    ['nothing', 'not_html', withoutPage(204, 'empty')],
  ])('%s is not', (_, reason, result) => expect(chooseMethod(result, OPTIONS)).toEqual({ method: 'http', reason }))

  test('a login page is rendered', () => {
    const login: HttpResult = { ...httpResult('<title>Log in</title>'), interstitial: 'login' }
    expect(chooseMethod(login, OPTIONS)).toEqual({ method: 'headless', reason: 'login' })
  })

  test('a consent page is rendered', () => {
    const { evidence } = extractHtml({
      bytes: new TextEncoder().encode(`<title>Before you continue</title>${SCRIPT}`),
      encoding: 'utf-8',
      url: new URL('https://consent.youtube.com/m'),
    })
    const consent = { status: 200, kind: 'html', evidence, interstitial: evidence.interstitial } as const
    expect(chooseMethod(consent, OPTIONS)).toEqual({ method: 'headless', reason: 'consent' })
  })
})

describe('a wall is recognized', () => {
  const challenge = '<title>Just a moment...</title><body><script>window._cf_chl_opt = {}</script>'
  const consent = extractHtml({
    bytes: new TextEncoder().encode(`<title>Before you continue</title>${SCRIPT}`),
    encoding: 'utf-8',
    url: new URL('https://consent.youtube.com/m'),
  })
  test.each<[name: string, result: HttpResult, expected: boolean]>([
    ['with 200', httpResult(challenge), true],
    ['with 403', httpResult(challenge, 403), true],
    ['with 405', httpResult(challenge, 405), true],
    ['with 429', httpResult(challenge, 429), true],
    ['with 503', httpResult(challenge, 503), true],
    ['not in a plain 403', httpResult('<title>Forbidden</title>', 403), false],
    ['not in a plain 503', httpResult('<title>Down for maintenance</title>', 503), false],
    ['not in a 403 without a page', withoutPage(403, 'empty'), false],
    [
      'not in a consent page',
      { status: 200, kind: 'html', evidence: consent.evidence, interstitial: 'consent' },
      false,
    ],
    ['a login page', { status: 200, kind: 'html', evidence: null, interstitial: 'login' }, true],
  ])('%s', (_, result, expected) => expect(isChallengeOrLogin(result)).toBe(expected))
})

describe('a rule for the site', () => {
  const article = httpResult(`<title>T</title><body>${words(200)}${SCRIPT}`)
  const shell = httpResult(`<title>T</title><body><div id="root"></div>${SCRIPT}`)
  type Choice = [method: string, reason: MethodReason]
  test.each<[name: string, result: HttpResult, options: object, expected: Choice]>([
    ['renders an article', article, { render: 'always' }, ['headless', 'site_always']],
    ['renders a shell, with the reason of the shell', shell, { render: 'always' }, ['headless', 'empty_mount_point']],
    ['does not render a 404', withoutPage(404, 'html'), { render: 'always' }, ['http', 'error_status']],
    ['does not render an image', withoutPage(200, 'image'), { render: 'always' }, ['http', 'not_html']],
    ['cannot render without a browser', article, { render: 'always', hasBrowser: false }, ['http', 'no_browser']],
    ['does not render a shell', shell, { render: 'never' }, ['http', 'site_never']],
    ['does not render a 403', withoutPage(403, 'html'), { render: 'never' }, ['http', 'site_never']],
    ['does not change an article', article, { render: 'never' }, ['http', 'complete']],
    ['is overridden by --headless', shell, { render: 'never', isForced: true }, ['headless', 'forced']],
  ])('%s', (_, result, options, [method, reason]) =>
    expect(chooseMethod(result, { ...OPTIONS, ...options })).toEqual({ method, reason } as never),
  )
})

describe('options', () => {
  const article = httpResult(`<title>T</title><body>${words(200)}${SCRIPT}`)
  const shell = httpResult(`<title>T</title><body><div id="root"></div>${SCRIPT}`)
  test.each<[name: string, result: HttpResult, options: Partial<typeof OPTIONS>, expected: [string, MethodReason]]>([
    ['a shell without a browser', shell, { hasBrowser: false }, ['http', 'no_browser']],
    ['an article without a browser', article, { hasBrowser: false }, ['http', 'complete']],
    ['forced', article, { isForced: true }, ['headless', 'forced']],
    ['forced, 404', withoutPage(404, 'html'), { isForced: true }, ['headless', 'forced']],
    ['forced, an image', withoutPage(200, 'image'), { isForced: true }, ['http', 'not_html']],
    ['forced without a browser', article, { isForced: true, hasBrowser: false }, ['http', 'no_browser']],
    ['forced without time', article, { isForced: true, remainingMs: 10 }, ['http', 'no_time']],
  ])('%s', (_, result, options, [method, reason]) =>
    expect(chooseMethod(result, { ...OPTIONS, ...options })).toEqual({ method, reason } as never),
  )
})

describe('the rendered page is used', () => {
  const resultWith = (metadata: Metadata, status = 200, kind: ContentKind = 'html'): MethodResult => ({
    status,
    kind,
    metadata,
    evidence: null,
    interstitial: null,
  })
  const challenge = httpResult('<title>Just a moment...</title><body><script>window._cf_chl_opt = {}</script>')
  const shell = resultWith({ title: 'App', favicon: 'https://site.test/i.png' })
  test.each<[name: string, http: MethodResult, rendered: MethodResult, isTaken: boolean]>([
    ['when it has another title', shell, resultWith({ title: 'Article' }), true],
    ['when it has a description', shell, resultWith({ title: 'App', description: 'D' }), true],
    ['when it has an image', shell, resultWith({ title: 'App', image: 'https://site.test/i.jpg' }), true],
    ['not when it has the same values', shell, resultWith({ title: 'App' }), false],
    ['not when it has fewer values', shell, resultWith({}), false],
    [
      'not when it only has another icon',
      shell,
      resultWith({ title: 'App', favicon: 'https://site.test/j.png' }),
      false,
    ],
    ['not when it is an error', shell, resultWith({ title: 'Article' }, 500), false],
    ['not when it is not HTML', shell, resultWith({ title: 'Article' }, 200, 'other'), false],
    ['not when it is a challenge', shell, challenge, false],
    ['instead of a block', resultWith({}, 403), resultWith({ title: 'Article' }), true],
    [
      'instead of a block with the same title',
      resultWith({ title: 'Article' }, 403),
      resultWith({ title: 'Article' }),
      true,
    ],
    ['instead of a challenge', challenge, resultWith({ title: 'Article' }), true],
    ['not instead of a block when it has no metadata', resultWith({}, 403), resultWith({}), false],
    ['not instead of a challenge when it is one too', challenge, challenge, false],
  ])('%s', (_, http, rendered, isTaken) => expect(prefersRendered(http, rendered, false)).toBe(isTaken))

  test.each<[name: string, rendered: MethodResult, isTaken: boolean]>([
    ['even if it has the same values', resultWith({ title: 'App' }), true],
    ['but not an error', resultWith({ title: 'Oops' }, 500), false],
    ['but not a challenge', challenge, false],
  ])('forced: %s', (_, rendered, isTaken) => expect(prefersRendered(shell, rendered, true)).toBe(isTaken))
})

describe('oEmbed', () => {
  const article = `<title>T</title><meta property="og:image" content="/i.png"><body><p>${words(60)}`
  test.each<[name: string, result: MethodResult, isNeeded: boolean]>([
    ['a complete page', httpResult(article), false],
    ['a page without an image', httpResult(`<title>T</title><body><p>${words(60)}`), true],
    ['a page without a title', httpResult('<meta property="og:image" content="/i.png"><body>text'), true],
    ['an empty response', { ...withoutPage(200, 'empty'), metadata: {} }, true],
    [
      'a shell',
      httpResult(`<title>T</title><meta property="og:image" content="/i.png"><div id="root"></div>${SCRIPT}`),
      true,
    ],
    ['a challenge', httpResult('<title>Just a moment...</title><body><script>window._cf_chl_opt = {}</script>'), true],
    ['a 403 with a complete page', httpResult(article, 403), true],
    ['a 404', httpResult('', 404), false],
    ['a 500', httpResult('', 500), false],
    ['an image', { ...withoutPage(200, 'image'), metadata: {} }, false],
    ['a file', { ...withoutPage(200, 'other'), metadata: {} }, false],
  ])('%s', (_, result, isNeeded) => expect(needsOembed(result)).toBe(isNeeded))

  const shell = httpResult(`<title>T</title><div id="root"></div>${SCRIPT}`)
  test('that has the title makes rendering unnecessary, with or without a browser', () => {
    const expected = { method: 'http', reason: 'oembed' } as const
    expect(chooseMethod(shell, { ...OPTIONS, hasOembed: true })).toEqual(expected)
    expect(chooseMethod(shell, { ...OPTIONS, hasOembed: true, hasBrowser: false, remainingMs: 0 })).toEqual(expected)
  })
  test('changes nothing for a page that is not rendered', () => {
    expect(chooseMethod(httpResult(article), { ...OPTIONS, hasOembed: true }).reason).toBe('no_scripts')
  })

  test.each<[name: string, result: HttpResult, expected: boolean]>([
    ['a shell', shell, true],
    [
      'a shell with og: tags',
      httpResult(`<meta property="og:image" content="/a.png"><div id="root"></div>${SCRIPT}`),
      false,
    ],
    [
      'a shell with og: tags of the site',
      httpResult(`<meta property="og:site_name" content="S"><meta property="og:type" content="website">
        <meta property="og:locale" content="en_US"><div id="root"></div>${SCRIPT}`),
      true,
    ],
    ['an article', httpResult(article), false],
    ['a 403', withoutPage(403, 'html'), false],
  ])('%s is a bare shell: %#', (_, result, expected) => expect(isBareShell(result)).toBe(expected))
})
