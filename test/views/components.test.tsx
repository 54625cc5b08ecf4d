import { describe, expect, test } from 'bun:test'

import type { FetchFailure } from '../../src/core/errors.ts'
import { UNRESTRICTED } from '../../src/core/accounts/key-settings.ts'
import { NO_KEY_FIELDS } from '../../src/http/pages/key-form.ts'
import { keyItemOf } from '../../src/http/pages/key-item.ts'
import type { WithUsage } from '../../src/service/usage/key-usage.ts'
import { PagedList } from '../../views/ui/pager.tsx'
import { AdminUsersPage, type UserListFilter } from '../../views/admin/users.tsx'
import { KeysPage } from '../../views/keys.tsx'
import { OverviewPage } from '../../views/overview.tsx'
import type { FailureCause } from '../../src/core/errors.ts'
import { adviceOn } from '../../views/ui/advice.ts'
import type { ImageFacts } from '../../src/core/fetch/image-facts.ts'
import { breadcrumbOf, truncate } from '../../views/playground/card-text.ts'
import type { PreviewCard } from '../../views/playground/link-preview.ts'
import { PreviewCardItem } from '../../views/playground/preview-card.tsx'
import { linkPreviewFor, type SampleParts } from './link-previews.ts'
import { TagEditor } from '../../views/playground/tag-editor.tsx'
import { Timing } from '../../views/playground/timing-tab.tsx'
import { RequestsPage } from '../../views/requests.tsx'
import { SignInPage } from '../../views/sign-in.tsx'
import { browserText } from '../../views/ui/browser-text.ts'
import { CodeExamples } from '../../views/ui/code-examples.tsx'
import { JsonBlock } from '../../views/ui/code.tsx'
import { TextField } from '../../views/ui/form.tsx'
import { KeyStatus, KeyTable, Rejections, Replaced } from '../../views/ui/key-table.tsx'
import { MonthMeter } from '../../views/ui/month-meter.tsx'
import { decimalBytesText, pluralized, msText, percentText } from '../../views/ui/number.ts'
import { Upgrade } from '../../views/ui/plan-table.tsx'
import { relativeTimeText, dateText, dayText } from '../../views/ui/time.tsx'
import { webAddress } from '../../views/ui/web-link.tsx'
import { pageTree } from '../page-tree.ts'
import { elementsOf, textOf } from './markup.ts'
import { KEYS, member, MONTH, NOW_MS, operator, requestsPage, SAMPLES } from './samples.tsx'

const attribute = (html: JSX.Element, tag: string, name: string) =>
  elementsOf(html as string).find((element) => element.tag === tag)?.attributes[name]

describe('an untrusted URL', () => {
  test.each<[name: string, text: string, expected: string | null]>([
    ['https', 'https://example.com/a?b=1&c=2', 'https://example.com/a?b=1&c=2'],
    ['http', 'http://example.com/', 'http://example.com/'],
    ['script', 'javascript:alert(1)', null],
    ['script with a tab in its name', 'java\tscript:alert(1)', null],
    ['script after a space', ' javascript:alert(1)', null],
    ['data', 'data:text/html,<script>alert(1)</script>', null],
    ['a path', '/keys', null],
    ['no scheme', 'example.com', null],
  ])('%s', (_, text, expected) => expect(webAddress(text)).toBe(expected))
})

describe('times', () => {
  test.each<[secondsAgo: number, expected: string]>([
    [-5, 'just now'],
    [59, 'just now'],
    [60, '1 minute ago'],
    [119, '1 minute ago'],
    [3_600, '1 hour ago'],
    [86_399, '23 hours ago'],
    [86_400, '1 day ago'],
    [400 * 86_400, '1 year ago'],
  ])('%d s ago is %s', (seconds, expected) => expect(relativeTimeText(NOW_MS - seconds * 1_000, NOW_MS)).toBe(expected))

  test('are in UTC', () => {
    expect(dateText(Date.parse('2026-12-31T23:59:59Z'))).toBe('31 Dec 2026')
    expect(dayText('2026-09-01')).toBe('1 Sep')
  })
})

describe('numbers', () => {
  test.each<[what: string, text: string, expected: string]>([
    ['one', pluralized(1, 'key'), '1 key'],
    ['many', pluralized(1_000, 'key'), '1,000 keys'],
    ['zero of zero', percentText(0, 0), '0%'],
    ['little', percentText(1, 1_000), '<1%'],
    ['nearly all', percentText(999, 1_000), '>99%'],
    ['all', percentText(7, 7), '100%'],
    ['more than all', percentText(9, 7), '100%'],
    ['bytes', decimalBytesText(999), '999 B'],
    ['kilobytes', decimalBytesText(1_500), '1.5 KB'],
    ['less than a millisecond', msText(0.2), '<1 ms'],
    ['no time', msText(0), '0 ms'],
  ])('%s', (_, text, expected) => expect(text).toBe(expected))
})

describe('a field of a form', () => {
  const value = `"'<b>&lt;b&gt;`
  const field = <TextField name="url" label="URL" value={value} error="Too long" hint="Any page" />

  test('keeps the typed text unchanged', () => expect(attribute(field, 'input', 'value')).toBe(value))

  test('is associated with its label, hint and error', () => {
    expect(attribute(field, 'label', 'for')).toBe('url')
    expect(attribute(field, 'input', 'aria-describedby')).toBe('url-hint url-error')
    expect(attribute(field, 'input', 'aria-invalid')).toBe('true')
  })
})

describe('the month', () => {
  test.each<[name: string, used: number, width: string, says: string]>([
    ['empty', 0, '0.00%', '0 of 10,000 requests'],
    ['just below the warning', 7_999, '79.99%', '1 Dec 2026 (UTC)'],
    ['at the warning', 8_000, '80.00%', 'You are close to your monthly limit.'],
    ['full', 10_000, '100.00%', 'Monthly limit reached.'],
    ['beyond the limit after a downgrade', 12_000, '100.00%', 'Monthly limit reached.'],
  ])('%s', (_, used, width, says) => {
    const html = <MonthMeter month={{ ...MONTH, used }} />
    expect(elementsOf(html as string).filter(({ tag }) => tag === 'rect')[1]?.attributes['width']).toBe(width)
    expect(textOf(html as string)).toContain(says)
  })
})

describe('keys', () => {
  const DAY_MS = 86_400_000
  const KEY: WithUsage = {
    ...UNRESTRICTED,
    id: 'k1',
    userId: 'u1',
    name: 'ci',
    lastFour: '0001',
    createdAtMs: 1,
    deactivatedAtMs: null,
    replacedById: null,
    deletedAtMs: null,
    rejectedRequests: 0,
    firstRejectedAtMs: null,
    lastRejectedAtMs: null,
    successes: 0,
    lastUsedAtMs: null,
  }
  const MIDNIGHT_MS = Date.UTC(2026, 10, 20)
  const DEAD = { deactivatedAtMs: 1 }
  test.each<[name: string, of: Partial<WithUsage>, says: string]>([
    ['without an expiry', {}, 'Active'],
    ['a week and a millisecond before its end', { expiresAtMs: NOW_MS + 7 * DAY_MS + 1 }, 'Active until 27 Nov 2026'],
    ['a week before its end', { expiresAtMs: NOW_MS + 7 * DAY_MS }, 'Expires soon on 27 Nov 2026'],
    ['during the overlap', { expiresAtMs: NOW_MS + 1, replacedById: 'k2' }, 'Replaced until 20 Nov 2026'],
    ['after the overlap', { expiresAtMs: NOW_MS, replacedById: 'k2' }, 'Replaced worked until 20 Nov 2026'],
    ['replaced after its end', { expiresAtMs: MIDNIGHT_MS, replacedById: 'k2' }, 'Expired on 19 Nov 2026'],
    ['after its end', { expiresAtMs: NOW_MS }, 'Expired on 20 Nov 2026'],
    ['deleted', { expiresAtMs: NOW_MS, deletedAtMs: NOW_MS }, 'Deleted on 20 Nov 2026'],
    ['deactivated before its end', { expiresAtMs: NOW_MS + 1, ...DEAD }, 'Deactivated on 1 Jan 1970'],
    ['replaced and deactivated', { expiresAtMs: NOW_MS + 1, replacedById: 'k2', ...DEAD }, 'Deactivated on 1 Jan 1970'],
  ])('the status of a key %s', (_, of, says) => {
    const key: WithUsage = { ...KEY, ...of }
    expect(textOf((<KeyStatus item={keyItemOf(key, NOW_MS)} />) as string)).toBe(says)
  })

  const ENDED = '20 Nov 2026, 12:34:56 UTC'
  test.each<[name: string, of: Partial<WithUsage>, says: string]>([
    ['that expired', { expiresAtMs: MIDNIGHT_MS }, 'expired on 19 Nov 2026, 23:59:59 UTC.'],
    ['that was deactivated', { deactivatedAtMs: NOW_MS + 1 }, `was deactivated on ${ENDED}.`],
    ['that was rotated', { expiresAtMs: NOW_MS + 1, replacedById: 'k2' }, `was rotated and worked until ${ENDED}.`],
    [
      'with rejected requests',
      { deactivatedAtMs: NOW_MS + 1, rejectedRequests: 1, firstRejectedAtMs: NOW_MS, lastRejectedAtMs: NOW_MS },
      `was deactivated on ${ENDED}: 1 request rejected since ${ENDED}, the latest just now.`,
    ],
  ])('a key %s says when it ended', (_, of, says) => {
    const item = keyItemOf({ ...KEY, ...of }, NOW_MS + 1)
    expect(textOf((<Rejections item={item} nowMs={NOW_MS} />) as string)).toBe(says)
  })

  test.each<[name: string, of: Partial<WithUsage>, says: string]>([
    ['works', {}, ': send that key instead.'],
    ['was deactivated too', DEAD, ', which no longer works either.'],
  ])('a replaced key whose successor %s', (_, of, says) => {
    expect(textOf((<Replaced by={keyItemOf({ ...KEY, ...of }, NOW_MS)} />) as string)).toEndWith(`1970${says}`)
  })

  test.each<[searched: number, total: number, says: string]>([
    [12, 12, '12 requests'],
    [12, 0, '0 of the last 12 requests'],
    [1_000, 96, '96 of the last 1,000 requests'],
  ])('of %p logged requests, %p are selected', (searched, total, says) => {
    const html = RequestsPage({ ...requestsPage, summary: { ...requestsPage.summary, total, searched } }) as string
    expect(pageTree(html).querySelector('.parts span')?.text).toBe(says)
  })

  test('only active ones can be deactivated, each at its own path', () => {
    const html = (
      <KeyTable keys={KEYS} frame={{ csrf: 't', nowMs: NOW_MS }} deactivate={(id) => `/keys/${id}/deactivate`} />
    ) as string
    const actions = elementsOf(html).flatMap(({ attributes }) => attributes['action'] ?? [])
    expect(actions).toEqual([
      '/keys/9f3c/deactivate',
      '/keys/41ab/deactivate',
      '/keys/07de/deactivate',
      '/keys/be11/deactivate',
    ])
  })

  const page = (maxKeys: number, upgradeUrl: string | null, maxKeysScope = 'on the Free plan') =>
    textOf(
      KeysPage({
        frame: member('/keys'),
        expiryPresets: [],
        keys: KEYS,
        paging: { page: 1, pages: 1 },
        error: '',
        active: 3,
        maxKeys,
        maxKeysScope,
        upgradeUrl,
        form: NO_KEY_FIELDS,
        created: null,
        idempotencyKey: '',
      }) as string,
    )

  test('below the limit there is a form', () => expect(page(4, null)).toContain('3 of 4 active keys on the Free plan'))

  test('at the limit there is an explanation instead', () => {
    expect(page(3, null)).toContain('You have 3 active keys, the maximum on the Free plan.')
    expect(page(3, null)).toContain('Ask the operator')
    expect(page(3, 'https://meta.example/pricing')).toContain('Upgrade plan')
  })

  test('after a downgrade the number of active keys may exceed the limit', () =>
    expect(page(2, null)).toContain('You have 3 active keys; the maximum on the Free plan is 2.'))

  test('a javascript: upgrade URL is not linked', () =>
    expect((<Upgrade url="javascript:alert(1)" viewer={null} />) as string).not.toContain('href'))
})

test('an operator gets a link to change the plan', () => {
  const { viewer } = operator('/usage')
  const html = (<Upgrade url={null} viewer={viewer} />) as string
  expect(textOf(html)).toBe('Need more? Change your plan or limits, or the limits of the plans in the configuration.')
  expect(html).toContain(`href="/admin?q=${encodeURIComponent(viewer!.email)}"`)
})

describe('a long name of a key', () => {
  const name = 'Staging server '.repeat(7).trim()
  const keys = [{ ...KEYS[0]!, name }]
  test.each([
    ['table', (<KeyTable keys={keys} frame={{ csrf: '', nowMs: NOW_MS }} deactivate={() => '/'} />) as string],
    [
      'overview',
      OverviewPage({
        frame: member('/'),
        month: MONTH,
        keys,
        activeKeys: 1,
        rejectedKeys: [],
        days: [],
        upgradeUrl: null,
      }) as string,
    ],
  ])('is complete in its title, and its direction is its own: %s', (_, html) => {
    const cell = pageTree(html).querySelector(':is(.name, .key-rows) .cut')!
    expect([cell.getAttribute('title'), cell.getAttribute('dir')]).toEqual([name, 'auto'])
  })
})

describe("an operator's page of a user", () => {
  const pageOf = (sample: string) => SAMPLES.find(({ name }) => name === sample)!.draw()
  const sampleText = (sample: string) => textOf(pageOf(sample))

  test('shows since when a user is suspended, and that the keys do not work', () => {
    expect(sampleText('admin-user-suspended')).toContain(
      'Suspended since 18 Nov 2026 · Eve · account created on 13 Sep 2026',
    )
    const keyStates = pageTree(pageOf('admin-user-suspended')).querySelectorAll('.keys .badge')
    expect(keyStates.map(({ text }) => text)).toEqual(['Suspended', 'Suspended'])
  })

  test('does not offer operators to suspend themselves', () => {
    expect(sampleText('admin-user')).toContain('Suspend jo.doe@example.com')
    expect(sampleText('admin-user-own')).not.toContain('Suspend ops@example.com')
  })
})

describe('the documentation', () => {
  const docs = pageTree(SAMPLES.find(({ name }) => name === 'docs')!.draw())

  test('says that fields of a response are always present, and parameters are required', () => {
    const badges = (section: string) =>
      new Set(
        docs.querySelectorAll(`section[aria-labelledby="${section}"] .fields .badge.accent`).map(({ text }) => text),
      )
    expect([badges('parameters'), badges('response')]).toEqual([new Set(['required']), new Set(['always present'])])
  })

  test('does not add a second full stop to a sentence', () => {
    for (const pre of docs.querySelectorAll('pre')) pre.remove()
    expect(docs.text.match(/.{40}[^.]\.\s*\.(?!\.)/g)).toBeNull()
  })
})

describe('the first steps', () => {
  const page = (keys: typeof KEYS) =>
    textOf(
      OverviewPage({
        frame: member('/'),
        month: MONTH,
        keys,
        activeKeys: 1,
        rejectedKeys: [],
        days: [],
        upgradeUrl: null,
      }) as string,
    )

  test.each<[name: string, keys: typeof KEYS, says: string | null]>([
    ['without a key', [], 'Create a key.'],
    ['with an unused key', [{ ...KEYS[0]!, lastUsedAtMs: null }], 'You have a key.'],
    ['with a used key', [KEYS[0]!], null],
  ])('%s', (_, keys, says) => {
    if (says === null) expect(page(keys)).not.toContain('First steps')
    else expect(page(keys)).toContain(says)
  })
})

test.each<[next: string | null, href: string]>([
  ['/usage?days=90', '/sign-in/github?next=%2Fusage%3Fdays%3D90'],
  [null, '/sign-in/github'],
])('after sign-in %p leads to %s', (next, href) => {
  const frame = { ...member('/sign-in'), viewer: null }
  const html = SignInPage({ frame, providers: [{ id: 'github', label: 'GitHub' }], next, problem: null }) as string
  expect(elementsOf(html).flatMap(({ attributes }) => attributes['href'] ?? [])).toContain(href)
})

test.each<[page: number, expected: string[]]>([
  [1, ['/admin?q=a%26b&page=2']],
  [2, ['/admin?q=a%26b&page=1', '/admin?q=a%26b&page=3']],
  [3, ['/admin?q=a%26b&page=2']],
])('page %d of 3 links to the previous and next page', (page, expected) => {
  const html = <PagedList paging={{ page, pages: 3 }} href={(other) => `/admin?q=a%26b&page=${other}`} />
  expect(elementsOf(html as string).flatMap(({ attributes }) => attributes['href'] ?? [])).toEqual(expected)
})

test.each<[name: string, filter: UserListFilter, expected: string]>([
  ['no filter', { text: '', plan: null, isSuspended: null, sort: 'newest' }, '/admin?page=2'],
  [
    'all of them',
    { text: 'a&b', plan: 'growth', isSuspended: false, sort: 'usage' },
    '/admin?q=a%26b&plan=growth&status=active&sort=usage&page=2',
  ],
  ['a text like a value', { text: 'newest', plan: null, isSuspended: null, sort: 'newest' }, '/admin?q=newest&page=2'],
])('the next page of users keeps %s', (_, filter, expected) => {
  const paging = { page: 1, pages: 2 }
  const props = { frame: operator('/admin'), filter, plans: [], users: [], total: 60, maxTotal: 10_000, paging }
  expect(elementsOf(AdminUsersPage(props) as string)).toContainEqual(
    expect.objectContaining({ attributes: expect.objectContaining({ href: expected }) }),
  )
})

test('JSON is shown unchanged', () => {
  const value = { 'a"b': '<i>', list: [1, { x: null }], 'text: "quoted"': 'with ": in it' }
  expect(elementsOf((<JsonBlock value={value} />) as string).find(({ tag }) => tag === 'code')?.text).toBe(
    JSON.stringify(value, null, 2),
  )
})

describe('code examples', () => {
  const codes = (url: string) =>
    elementsOf(
      (<CodeExamples request={{ baseUrl: 'https://m.example', url, timeoutMs: 900, isFresh: true }} />) as string,
    )
      .filter(({ tag }) => tag === 'code')
      .map(({ text }) => text)

  test('a prefilled URL cannot inject shell commands', () => {
    const [curl = ''] = codes('https://a.example/$(id)`id`"\';!id\\')
    expect(curl).toContain(
      '?url=https%3A%2F%2Fa.example%2F%24%28id%29%60id%60%22%27%3B%21id%5C&timeout=900&cache=false"',
    )
  })

  test('quotes cannot end a string in any language', () => {
    const [, typescript, python, go, php] = codes(`https://a.example/"'\\`)
    expect(typescript).toContain(`url: "https://a.example/\\"'\\\\",`)
    expect(python).toContain(`"url": "https://a.example/\\"'\\\\",`)
    expect(go).toContain(`"url": {"https://a.example/\\"'\\\\"}`)
    expect(php).toContain(`'url' => 'https://a.example/"\\'\\\\',`)
  })

  test('a very long URL is replaced by the example', () =>
    expect(codes(`https://a.example/${'x'.repeat(500)}`)[0]).not.toContain('xxx'))
})

describe('link cards', () => {
  const RESPONSE = {
    url: 'https://www.example.com/a%20b/c',
    fetched_at: '',
    fetch_method: 'http',
    response_time_ms: 1,
  } as const
  const cards = (html: string, images: ImageFacts[] = []) => linkPreviewFor({ response: RESPONSE, html, images }).cards
  const draw = (card: PreviewCard) => (<PreviewCardItem card={card} url={RESPONSE.url} />) as string
  const byId = (all: PreviewCard[], id: string) => all.find(({ platform }) => platform.id === id)!
  const HTML = '<meta property="og:title" content="T"><meta property="og:image" content="/a.jpg">'

  test('a search result has the host and the readable path', () => {
    expect(breadcrumbOf(RESPONSE.url)).toBe('example.com › a b › c')
    expect(draw(byId(cards(HTML), 'google'))).toContain('example.com › a b › c')
  })

  test.each<[name: string, path: string, shown: boolean]>([
    ['a local path', '/playground/image?x=1', true],
    ['another host', 'https://tracker.example/pixel.png', false],
    ['another host without a scheme', '//tracker.example/pixel.png', false],
    ['a path longer than a page has room for', `/playground/image?${'x'.repeat(3_000)}`, false],
  ])('show an image from %s: %p', (_, path, shown) => {
    const card = byId(cards(HTML), 'facebook')
    const html = draw({ ...card, image: { ...card.image!, path } })
    expect(elementsOf(html).some(({ tag }) => tag === 'img')).toBe(shown)
  })

  test('an image keeps its aspect ratio if the app does not crop it', () => {
    const facts = {
      url: 'https://www.example.com/a.jpg',
      problem: '',
      mimeType: 'image/jpeg',
      bytes: 1,
      size: { width: 800, height: 1_200 },
    }
    const shape = (id: string) => {
      const image = elementsOf(draw(byId(cards(HTML, [facts]), id))).find(({ tag }) => tag === 'img')!
      return [image.attributes['class'], image.attributes['width'], image.attributes['height']]
    }
    expect(shape('slack')).toEqual(['pic whole', '800', '1200'])
    expect(shape('facebook')).toEqual(['pic wide', '800', '1200'])
    expect(shape('imessage')).toEqual(['pic whole', '800', '1200'])
  })

  test('the border of Discord is a fill, because the policy of pages forbids inline styles', () => {
    const html = draw(byId(cards(`${HTML}<meta name="theme-color" content="#5865F2">`), 'discord'))
    expect(html).toContain('fill="#5865f2"')
    expect(html).not.toContain('style=')
  })

  test('an app without a card shows the link', () => {
    const html = draw(byId(cards('<title>T</title>'), 'x'))
    expect(html).toContain('No card, only the link.')
    expect(html).toContain(RESPONSE.url)
  })

  test.each<[name: string, text: string, expected: string]>([
    ['short', 'four', 'four'],
    ['one too long', 'fives', 'fiv…'],
    ['surrogate pairs are not split', '😀😀😀😀😀', '😀😀😀…'],
    ['surrogate pairs that fit', '😀😀😀😀', '😀😀😀😀'],
  ])('truncated text: %s', (_, text, expected) => expect(truncate(text, 4)).toBe(expected))
})

test('timing bars are placed by phase, hop after hop, and add up to the total', () => {
  const hop = {
    url: '',
    by: 'caller',
    isDowngrade: false,
    addresses: [],
    attempts: [],
    cookiesSent: [],
    cookiesSet: [],
  } as const
  const hops = [
    { ...hop, addresses: [], attempts: [], cookiesSent: [], cookiesSet: [], timing: { dnsMs: 10, connectMs: 30 } },
    { ...hop, addresses: [], attempts: [], cookiesSent: [], cookiesSet: [], timing: { firstByteMs: 60 } },
  ]
  const rendering = { durationMs: 100, requests: 1, hosts: 1, bytes: 1, refused: [] }
  const bars = elementsOf((<Timing trace={{ hops, rendering, faviconMs: 60 }} totalMs={400} />) as string)
    .filter(({ tag }) => tag === 'rect')
    .map(({ attributes }) => [attributes['class'], attributes['x'], attributes['width']])
  expect(bars).toEqual([
    ['dns', '0.00%', '2.50%'],
    ['connect', '2.50%', '7.50%'],
    ['wait', '10.00%', '15.00%'],
    ['tls', '25.00%', '25.00%'],
    ['dns', '50.00%', '15.00%'],
    ['queue', '65.00%', '35.00%'],
  ])
})

const fetchFailed = (failure: FetchFailure, siteStatus: number | null = null): FailureCause => {
  return { kind: 'fetch_failed', failure, siteStatus }
}

test.each<[name: string, cause: FailureCause, says: RegExp | null]>([
  ['a refusal', fetchFailed('http_status', 403), /refuses/],
  ['a missing page', fetchFailed('http_status', 404), /does not exist/],
  ['a status without advice', fetchFailed('http_status', 499), null],
  ['the first server error', fetchFailed('http_status', 500), /has a problem/],
  ['the last server error', fetchFailed('http_status', 599), /has a problem/],
  ['a timeout', fetchFailed('timeout'), /too slow/],
  ['a refusal by the egress proxy', fetchFailed('egress_proxy'), /^The egress proxy of this server/],
  ['a private address', fetchFailed('address_not_allowed'), /does not fetch/],
  ['an invalid response', fetchFailed('invalid_response'), /invalid HTTP response/],
  [
    'a consent page',
    { ...fetchFailed('blocked_by_site'), interstitial: 'consent' },
    /a consent page \(cookie wall\) instead/,
  ],
  ['a login page', { ...fetchFailed('blocked_by_site'), interstitial: 'login' }, /a login page instead/],
  [
    'a challenge',
    { ...fetchFailed('blocked_by_site'), interstitial: 'cloudflare' },
    /a bot challenge \(cloudflare\) instead/,
  ],
  ['a wall of an unknown kind', fetchFailed('blocked_by_site'), /a bot challenge, a login page or a consent page/],
  ['a timeout after a wall', { ...fetchFailed('timeout'), interstitial: 'consent' }, /too slow/],
  ['the monthly limit', { kind: 'month_limit', failure: null, siteStatus: null }, /monthly limit/],
  ['the limit per minute', { kind: 'minute_limit', failure: null, siteStatus: null }, /next minute/],
  ['an internal error', { kind: 'internal', failure: null, siteStatus: null }, null],
])('advice on %s', (_, cause, says) => {
  if (says === null) expect(adviceOn(cause)).toBeNull()
  else expect(adviceOn(cause)).toMatch(says)
})

test.each<[sample: string, selector: string, says: string]>([
  // Failures are not among them.
  ['admin-health', '.stats dt', 'Successful'],
  // Not all reasons are shown.
  ['key', 'h3', 'Most frequent failures, last 7 days'],
])('%s names what it counts', (name, selector, says) => {
  const sample = SAMPLES.find((one) => one.name === name)!
  expect(pageTree(sample.draw()).querySelector(selector)?.text).toBe(says)
})

test.each([
  [[], 'Limits of 0 apps'],
  [['X'], 'Limits of 1 app'],
  [['X', 'Discord'], 'Limits of 2 apps'],
])('the editor has the limits of %p', (apps, says) => {
  const preview = linkPreviewFor({ response: { url: 'https://example.com/' } as SampleParts['response'], html: '' })
  const title = { ...preview.fields.title, uses: [{ text: 'up to 70 characters', isOver: false, apps }] }
  const html = <TagEditor csrf="" id="r1" preview={{ ...preview, fields: { ...preview.fields, title } }} />
  expect(pageTree(html as string).querySelector('.limits summary')?.text).toBe(says)
})

test('the account page isolates names and addresses, which can be written from right to left', () => {
  const html = SAMPLES.find(({ name }) => name === 'account')!.draw()
  const isolated = pageTree(html)
    .querySelectorAll('bdi')
    .map((element) => element.text)
  const expected = ['jo.doe@example.com', 'Jo Doe', 'jo.doe@example.com', 'jodoe', 'jo.doe@example.com']
  expect(isolated.slice(0, expected.length)).toEqual(expected)
})

test.each<[userAgent: string, expected: string]>([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0', 'Edge on Windows'],
  ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15) AppleWebKit/605 Version/19 Safari/605', 'Safari on macOS'],
  ['curl/8.15.0', 'curl'],
  ['', 'Unknown browser'],
])('%p is %s', (userAgent, expected) => expect(browserText(userAgent)).toBe(expected))
