import { afterAll, setDefaultTimeout } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { chromium, describeChromium } from '../requirements.ts'
import { describeSites } from './describe-sites.ts'
import type { SiteCase } from './site-case.ts'
import { html, isBrowser, redirectTo, tags } from './sites.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

/** The maximum timeout, so that the result does not depend on the load of the machine. */
const TIMEOUT_MS = 15_000
setDefaultTimeout(PATIENT_TEST_MS)

const SHELL = `<!doctype html><title>TikTok - Make Your Day</title><body><div id="root"></div>`
const OPEN_GRAPH = `document.head.innerHTML = '<meta property="og:title" content="Filled in">'`

/** Sites that send browsers the page, and others a wall. Over plain HTTP, because Chromium does not trust their certificate. */
const CASES: readonly SiteCase[] = [
  {
    site: 'IMDb',
    name: 'a challenge that a browser passes',
    url: 'http://www.imdb.example/title/tt1/',
    doubles: {
      'www.imdb.example': (request) =>
        isBrowser(request) ? tags('A film', 'IMDb') : html('', 202, { 'x-amzn-waf-action': 'challenge' }),
    },
    expected: { metadata: { title: 'A film', fetch_method: 'headless' }, provenance: { title: 'og:title' } },
    sources: ['Flexget/Flexget#5010'],
  },
  {
    site: 'Facebook',
    name: 'a login page for clients other than browsers',
    url: 'http://www.facebook.example/jo/posts/1',
    doubles: {
      'www.facebook.example': (request, { pathname }) => {
        if (isBrowser(request)) return tags('Jo: a post', 'Facebook')
        return pathname === '/login/' ? html('Log in') : redirectTo(`/login/?next=${pathname}`)
      },
    },
    expected: { metadata: { title: 'Jo: a post', fetch_method: 'headless' }, provenance: { title: 'og:title' } },
    sources: ['php-embed/Embed#415'],
  },
  {
    site: 'TikTok',
    name: 'a shell that a browser fills',
    url: 'http://www.tiktok.com/@jo/video/1',
    doubles: { 'www.tiktok.com': () => html(`${SHELL}<script>${OPEN_GRAPH}</script>`) },
    expected: { metadata: { title: 'Filled in', fetch_method: 'headless' }, provenance: { title: 'og:title' } },
    sources: ['sur950/any_link_preview#47'],
  },
  {
    site: 'Instagram',
    name: 'a login page for all, by a script redirect',
    url: 'http://www.insta.example/p/1/',
    doubles: {
      'www.insta.example': (_, url) =>
        url.pathname === '/accounts/login/'
          ? html('<title>Insta</title><input type="password">')
          : html('<div id="root"></div><script>setTimeout(() => location = "/accounts/login/?next=/p/1/")</script>'),
    },
    expected: { blockedBy: 'login' },
    sources: ['microlinkhq/is-antibot#78'],
  },
]

const MEMBERS: SiteCase = {
  site: 'Sites with a rule of the operator',
  name: 'plain requests and the browser send its cookies',
  url: 'http://wiki.example/page',
  doubles: {
    'wiki.example': (request) =>
      request.headers.get('cookie') === 'session=s3cret'
        ? html(`<!doctype html><title>Wiki</title><body><div id="root"></div><script>${OPEN_GRAPH}</script>`)
        : html('Not for you', 403),
  },
  expected: { metadata: { title: 'Filled in', fetch_method: 'headless' } },
  sources: ['RocketChat/feature-requests#381'],
}

describeChromium('with a browser', () => {
  describeSites('links to sites', CASES, { composed: { URLMETA_CHROMIUM: chromium ?? 'off' }, timeoutMs: TIMEOUT_MS })

  const dir = mkdtempSync(join(tmpdir(), 'urlmeta-sites-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'sites.json')
  writeFileSync(file, JSON.stringify([{ hosts: ['wiki.example'], cookies: { session: 's3cret' }, insecure: true }]))
  const composed = { URLMETA_CHROMIUM: chromium ?? 'off', URLMETA_SITES: file }
  describeSites('links to sites with a rule', [MEMBERS], { composed, timeoutMs: TIMEOUT_MS })
})
