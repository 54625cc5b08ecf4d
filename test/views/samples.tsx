import type { AuditEntry } from '../../src/core/accounts/audit-log.ts'
import { expiryPresets, OVERLAPS } from '../../src/core/accounts/key-expiry.ts'
import {
  ALL_REQUESTS,
  countsByReason,
  type LoggedRequest,
  summarizeRequests,
} from '../../src/core/usage/request-log.ts'
import type { Hop } from '../../src/core/fetch/trace.ts'
import type { DailyUsage } from '../../src/core/usage/ports.ts'
import { DEFAULT_PLANS, type Limits } from '../../src/core/plan.ts'
import { NO_KEY_FIELDS, readKeyForm } from '../../src/http/pages/key-form.ts'
import { openapiDocument } from '../../src/http/api/openapi.ts'
import { AccountPage, type AccountProps } from '../../views/account.tsx'
import { AdminAuditPage } from '../../views/admin/audit.tsx'
import { AdminHealthPage } from '../../views/admin/health.tsx'
import { AdminRequestsPage, type AdminRequestsProps } from '../../views/admin/requests.tsx'
import { AdminSettingsPage, type AdminSettingsProps } from '../../views/admin/settings.tsx'
import { AdminUserPage } from '../../views/admin/user.tsx'
import { AdminInvitationsPage, type AdminInvitationsProps } from '../../views/admin/invitations.tsx'
import { type AdminUserItem, AdminUsersPage, type AdminUsersProps } from '../../views/admin/users.tsx'
import type { ApiDocument } from '../../views/docs/api-document.ts'
import { DocsPage } from '../../views/docs.tsx'
import { DocumentPage } from '../../views/docs/document.tsx'
import { DOCUMENTATION } from '../../views/docs/documents.ts'
import { DocSearchPage } from '../../views/docs/search.tsx'
import { searchDocuments } from '../../src/http/pages/doc-search.ts'
import { ErrorPage } from '../../views/error-page.tsx'
import { KeyPage, type KeyProps } from '../../views/key.tsx'
import { KeysPage } from '../../views/keys.tsx'
import { LandingPage } from '../../views/landing.tsx'
import { OverviewPage } from '../../views/overview.tsx'
import { PlaygroundPage } from '../../views/playground/playground.tsx'
import { linkPreviewFor } from './link-previews.ts'
import { PublicPlaygroundPage } from '../../views/playground/public-playground.tsx'
import { SharedPage } from '../../views/playground/shared.tsx'
import type { Frame } from '../../views/shell.tsx'
import type { OpenedRequest } from '../../views/requests/request-detail.tsx'
import { RequestsPage, type RequestsProps } from '../../views/requests.tsx'
import { SignInLinkPage } from '../../views/sign-in-link.tsx'
import { SignInPage } from '../../views/sign-in.tsx'
import type { KeyFields } from '../../views/ui/key-fields.tsx'
import type { KeyItem, SuccessorKey } from '../../views/ui/key-table.tsx'
import { PERIODS, UsagePage } from '../../views/usage.tsx'
import { limitFields } from '../../src/http/pages/limit-form.ts'
import { NO_OWN_LIMITS } from '../own-limits.ts'

/** A view with sample props. */
export interface Sample {
  /** The name of its file. */
  name: string
  /** The name of the view, several samples of which differ in their state. */
  view: string
  /** Renders the page, with props changed by `change`. */
  draw(change?: <Props>(props: Props) => Props): string
}

function sample<Props>(name: string, view: (props: Props) => JSX.Element, props: Props): Sample {
  return { name, view: view.name, draw: (change) => view(change ? change(props) : props) as string }
}

export const NOW_MS = Date.parse('2026-11-20T12:34:56Z')
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const GUEST: Frame = {
  baseUrl: 'https://meta.example',
  version: '0.1.0',
  path: '/sign-in',
  viewer: null,
  csrf: '',
  nowMs: NOW_MS,
  isPlaygroundPublic: false,
  notice: null,
}

const docs = (path: string) => ({ frame: { ...GUEST, path }, groups: DOCUMENTATION.groups })

export function member(path: string): Frame {
  return {
    ...GUEST,
    path,
    csrf: '9f3c1a7be2d04f58',
    viewer: { email: 'jo.doe@example.com', name: 'Jo Doe', isOperator: false },
  }
}

export function operator(path: string): Frame {
  return { ...member(path), viewer: { email: 'ops@example.com', name: null, isOperator: true } }
}

export const PLANS = Object.values(DEFAULT_PLANS)

export const MONTH = {
  used: 6_204,
  limits: DEFAULT_PLANS.starter,
  planLabel: 'Starter',
  resetsAt: '2026-12-01T00:00:00Z',
}

/** Of a user on Starter with own limits per minute and of keys. */
export const OWN_LIMITS: Limits = {
  ...DEFAULT_PLANS.starter,
  perMinute: 5_000,
  maxKeys: 8,
  own: ['perMinute', 'maxKeys'],
}

/** A key that has ended, with rejected requests. */
const REJECTED = {
  ended: { end: 'expired', endedAtMs: NOW_MS - 5 * DAY_MS },
  rejectedRequests: 3,
  firstRejectedAtMs: NOW_MS - 5 * DAY_MS + 3_600_000,
  lastRejectedAtMs: NOW_MS - 2 * HOUR_MS,
} as const

function key(id: string, name: string, of: Partial<KeyItem> = {}): KeyItem {
  return {
    id,
    name,
    lastFour: id.padStart(4, '0'),
    createdAtMs: NOW_MS - 40 * DAY_MS,
    lastUsedAtMs: NOW_MS - 3 * 60_000,
    requestsThisMonth: 4_211,
    ended: null,
    replacedById: null,
    rejectedRequests: 0,
    firstRejectedAtMs: null,
    lastRejectedAtMs: null,
    expiresAtMs: null,
    expiresSoon: false,
    ...of,
  }
}

/** A submitted form. */
const keyForm = (fields: Record<string, string>) =>
  readKeyForm((name) => fields[name] ?? '', NOW_MS).fields as KeyFields

export const KEYS: KeyItem[] = [
  key('9f3c', 'Production server'),
  key('41ab', 'Feed reader', {
    createdAtMs: NOW_MS - 9 * DAY_MS,
    requestsThisMonth: 1_993,
    expiresAtMs: NOW_MS + 3 * DAY_MS,
    expiresSoon: true,
  }),
  key('07de', 'Laptop', { createdAtMs: NOW_MS - 2 * HOUR_MS, lastUsedAtMs: null, requestsThisMonth: 0 }),
  key('be11', 'Search indexer', { replacedById: '41ab', expiresAtMs: NOW_MS + DAY_MS }),
  key('dead', 'Trial', { ...REJECTED, expiresAtMs: NOW_MS - 5 * DAY_MS, lastUsedAtMs: NOW_MS - 6 * DAY_MS }),
  key('c0de', 'Old staging', {
    ended: { end: 'deactivated', endedAtMs: NOW_MS - 20 * DAY_MS },
    lastUsedAtMs: NOW_MS - 21 * DAY_MS,
  }),
]

/** Of a key that was rotated a day before its overlap ended. */
const SUCCESSOR: SuccessorKey = {
  id: '41ab',
  name: 'Production server',
  lastFour: '41ab',
  createdAtMs: NOW_MS - 6 * DAY_MS,
  ended: null,
}

/** Ninety days of growing usage, with quiet weekends and one bad day. */
export const DAYS: DailyUsage[] = Array.from({ length: 90 }, (_, index) => {
  const ms = NOW_MS - (89 - index) * DAY_MS
  const isWeekend = [0, 6].includes(new Date(ms).getUTCDay())
  const successes = Math.round((60 + index * 3 + ((index * 37) % 53)) * (isWeekend ? 0.35 : 1))
  return {
    day: new Date(ms).toISOString().slice(0, 10),
    successes,
    cacheHits: Math.round(successes * (0.25 + ((index * 13) % 30) / 100)),
    failures: index === 71 ? 96 : Math.round(successes * 0.03),
  }
})

/** The days of the request log. */
export const LOGGED_DAYS = DAYS.slice(-8)
  .map(({ day }) => day)
  .toReversed()

/** The last 48 hours of the request log. */
const HOURS: DailyUsage[] = Array.from({ length: 48 }, (_, index) => ({
  day: new Date(NOW_MS - (47 - index) * HOUR_MS).toISOString().slice(0, 13),
  successes: (index * 7) % 19,
  cacheHits: Math.round(((index * 7) % 19) / 3),
  failures: index === 40 ? 6 : 0,
}))

function hop(url: string, of: Partial<Hop> = {}): Hop {
  return {
    url,
    by: 'caller',
    isDowngrade: false,
    addresses: [
      { address: '2606:2800:220:1:248:1893:25c8:1946', verdict: 'public', refusal: null },
      { address: '93.184.216.34', verdict: 'public', refusal: null },
    ],
    resolvedBy: 'dns',
    attempts: [
      { address: '2606:2800:220:1:248:1893:25c8:1946', error: 'ENETUNREACH' },
      { address: '93.184.216.34', error: null },
    ],
    tls: 'TLSv1.3',
    cookiesSent: [],
    cookiesSet: [],
    timing: { queueMs: 0.2, dnsMs: 12.4, connectMs: 21, tlsMs: 24.6, firstByteMs: 61 },
    ...of,
  }
}

const ANSWER = {
  url: 'http://example.com/lights?utm_source=feed',
  canonical_url: 'https://www.example.com/travel/northern-lights',
  title: 'Where to see the northern lights this winter, and when to stay home',
  description:
    'Six places from Tromsø to Abisko, the months that are dark and clear enough, and what to bring so that your fingers still work when the sky finally does something.',
  image: 'https://www.example.com/img/aurora.jpg',
  favicon: 'https://www.example.com/favicon.svg',
  site_name: 'Example Travel',
  type: 'article',
  locale: 'en_GB',
  twitter_card: { card: 'summary_large_image', site: '@example' },
  meta: { author: 'Jo Doe', published_time: '2026-11-01T08:00:00Z' },
  fetched_at: '2026-11-20T12:34:55.816Z',
  fetch_method: 'http' as const,
  response_time_ms: 312,
}

const SOURCES = {
  canonical_url: 'link canonical',
  title: 'og:title',
  description: 'og:description',
  image: 'og:image',
  favicon: 'link icon',
  site_name: 'og:site_name',
  type: 'og:type',
  locale: 'html lang',
  'twitter_card.card': 'twitter:card',
  'twitter_card.site': 'twitter:site',
  'meta.author': 'json-ld author',
  'meta.published_time': 'article:published_time',
}

const HOPS: Hop[] = [
  hop('http://example.com/lights?utm_source=feed', {
    status: 301,
    location: 'https://www.example.com/travel/northern-lights',
    timing: { dnsMs: 12.4, connectMs: 21, firstByteMs: 41 },
  }),
  hop('https://www.example.com/travel/northern-lights', {
    by: 'redirect',
    resolvedBy: 'cache',
    status: 200,
    contentType: 'text/html; charset=utf-8',
    contentEncoding: 'br',
    cookiesSet: ['session', 'consent'],
    wireBytes: 18_204,
    bodyBytes: 96_310,
    stopped: 'rest not needed',
    charset: { encoding: 'utf-8', from: 'header' },
    timing: { dnsMs: 0.3, connectMs: 20, tlsMs: 26, firstByteMs: 144, bodyMs: 47 },
  }),
]

const HTML = `<title>${ANSWER.title} | Example Travel</title>
<meta name="description" content="${ANSWER.description}">
<meta name="theme-color" content="#2fbf8f">
<link rel="canonical" href="${ANSWER.canonical_url}">
<link rel="apple-touch-icon" href="/touch.png">
<meta property="og:type" content="article">
<meta property="og:site_name" content="Example Travel">
<meta property="og:title" content="${ANSWER.title}">
<meta property="og:description" content="${ANSWER.description}">
<meta property="og:image" content="${ANSWER.image}">
<meta property="og:url" content="https://www.example.com/lights">
<meta name="twitter:card" content="summary_large_image">
<meta name="twitter:site" content="@example">`

const IMAGE_FACTS = {
  url: ANSWER.image,
  problem: '',
  mimeType: 'image/jpeg',
  bytes: 184_320,
  size: { width: 1_200, height: 630 },
}

/** A result without any metadata. */
const PLAIN = {
  url: 'https://example.com/',
  fetched_at: ANSWER.fetched_at,
  fetch_method: 'headless' as const,
  response_time_ms: 1_804,
}

const SHELL = '<title>Loading…</title><div id="root"></div>'

const FORM = { url: ANSWER.url, timeout: '5000', isFresh: false, errors: { url: '', timeout: '' } }

const landing = {
  frame: { ...GUEST, path: '/' },
  fieldCount: 14,
  plans: PLANS,
  planOfNewUsers: 'Free',
  visitorPerMinute: 5,
}

const PUBLIC = { frame: { ...GUEST, path: '/playground', isPlaygroundPublic: true }, url: '', error: '', perMinute: 5 }

const NOTHING_SHARED = { shared: [], created: null, error: '' }

export const playground = {
  frame: member('/playground/results/5b0f5c1e'),
  form: FORM,
  tab: 'previews' as const,
  httpUrl: null,
  defaultTimeoutMs: 5_000,
  month: MONTH,
  sharing: NOTHING_SHARED,
  outcome: {
    kind: 'success' as const,
    response: ANSWER,
    id: '5b0f5c1e',
    isCached: false,
    images: { image: '/playground/image?of=image', favicon: '/playground/image?of=icon' },
    preview: linkPreviewFor({ response: ANSWER, html: HTML, images: [IMAGE_FACTS], trace: { hops: HOPS } }),
    explanation: {
      sources: SOURCES,
      trace: { hops: HOPS },
      methodReason: 'The page is complete without scripts.',
    },
  },
}

const USERS: AdminUserItem[] = [
  ['jo.doe@example.com', 'Jo Doe', 'starter', 3, 6_204],
  ['ops@example.com', null, 'free', 1, 12],
  ['feed-reader-integration@long-department-name.example.org', 'Feed reader integration', 'growth', 9, 88_412],
  ['eve@example.net', 'Eve', 'free', 2, 1_000],
].map(([email, name, plan, activeKeys, used], index) => {
  const { label, perMonth } = DEFAULT_PLANS[plan as 'free']
  return {
    id: `u${index}`,
    email: email as string,
    name: name as string | null,
    plan: plan as 'free',
    planLabel: label,
    ...NO_OWN_LIMITS,
    activeKeys: activeKeys as number,
    used: used as number,
    monthLimit: perMonth,
    createdAtMs: NOW_MS - (index + 1) * 17 * DAY_MS,
    suspendedAtMs: index === 3 ? NOW_MS - 2 * DAY_MS : null,
    isOperator: index === 1,
  }
})

const AUDIT = [
  { actor: 'ops@example.com', action: 'plan_changed', email: 'jo.doe@example.com', detail: 'Free → Starter' },
  { actor: 'ops@example.com', action: 'suspended', email: 'eve@example.net', detail: '' },
  { actor: null, action: 'key_deactivated', email: 'eve@example.net', detail: 'Old staging …c0de' },
].map(
  (entry, index) =>
    ({ ...entry, id: `a${index}`, atMs: NOW_MS - index * 7 * HOUR_MS, userId: `u${index}` }) as AuditEntry,
)

const health = {
  frame: operator('/admin/health'),
  days: DAYS.slice(-30),
  startedAtMs: NOW_MS - 3 * DAY_MS,
  isWholeDay: true,
  fetches: { active: 37, limit: 256, waiting: 0 },
  chromium: { state: 'running' as const, detail: 'Chromium 142.0.7444.59', active: 2, limit: 2, waiting: 3 },
  cache: { entries: 48_211, maxEntries: 1_000_000 },
  database: { kind: 'SQLite', place: '/var/lib/urlmeta/urlmeta.db', backupProgram: null, bytes: 61_400_000 },
  disk: { status: 'ok' as const, detail: '12.1 GB are free' },
  memory: { bytes: 182_300_000, totalBytes: 8_200_000_000 },
  backup: {
    last: { atMs: NOW_MS - 5 * HOUR_MS, bytes: 48_300_000 },
    nextAtMs: NOW_MS + 19 * HOUR_MS,
    error: null,
    isRunning: false,
  },
  redis: { isUp: true as const },
  day: {
    responses: 12_904,
    cacheHits: 5_221,
    failures: 431,
    fetched: { p50: 310, p95: 2_400 },
    cached: { p50: 1, p95: 4 },
  },
  failuresByReason: [
    { reason: 'timeout', count: 203 },
    { reason: 'http_status 404', count: 98 },
    { reason: 'http_status 403', count: 31 },
    { reason: 'http_status 500', count: 12 },
    { reason: 'host_not_found', count: 62 },
    { reason: 'blocked_by_site', count: 25 },
  ],
  failingHosts: [
    { host: 'slow.example.net', count: 88, lastReason: 'timeout', lastAtMs: NOW_MS - 40_000 },
    { host: 'shop.example.org', count: 19, lastReason: 'blocked_by_site', lastAtMs: NOW_MS - 9 * 60_000 },
    { host: 'intranet.example.com', count: 2, lastReason: 'address_not_allowed', lastAtMs: NOW_MS - 2 * HOUR_MS },
  ],
}

const NO_LATENCY = { p50: null, p95: null }

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1'

const ALERTS: AccountProps['alerts'] = {
  webhook: {
    url: 'https://hooks.example.com/urlmeta?team=7',
    secret: 'whsec_Yx3kJ0w0oX2m8bZ5rT1uQ7nV4cL9eD6sA8fG2hK1jP0',
  },
  alerts: (
    [
      { threshold: 100, used: 10_000, deliveredAtMs: null, nextAttemptAtMs: NOW_MS + HOUR_MS, error: 'HTTP 500' },
      { threshold: 80, used: 8_004, deliveredAtMs: NOW_MS - DAY_MS, nextAttemptAtMs: null, error: null },
      { threshold: 80, used: 8_000, deliveredAtMs: null, nextAttemptAtMs: null, error: 'timed out after 10000 ms' },
    ] as const
  ).map((alert, index) => ({
    ...alert,
    month: '2026-11',
    limit: 10_000,
    key: index === 2 ? { id: '41ab', name: 'Feed reader', expiresAtMs: NOW_MS + 3 * DAY_MS } : null,
  })),
  form: null,
}

const account = {
  frame: member('/account'),
  profile: {
    email: 'jo.doe@example.com',
    name: 'Jo Doe',
    planLabel: 'Starter',
    createdAtMs: NOW_MS - 120 * DAY_MS,
  },
  connections: [
    {
      issuer: 'https://github.com/login/oauth',
      subject: '17',
      label: 'GitHub',
      account: 'jodoe',
      email: 'jo.doe@example.com',
      createdAtMs: NOW_MS - 120 * DAY_MS,
    },
    {
      issuer: 'https://login.example.com/realms/staff',
      subject: 'f3b1',
      label: 'Example login',
      account: 'jo.doe@example.com',
      email: 'jo.doe@example.com',
      createdAtMs: NOW_MS - 5 * DAY_MS,
    },
  ],
  others: [{ id: 'google', label: 'Google' }],
  sessions: [FIREFOX, IPHONE].map((userAgent, index) => ({
    id: `s${index}`,
    userAgent,
    createdAtMs: NOW_MS - (index + 1) * 5 * DAY_MS,
    lastSeenAtMs: NOW_MS - index * 9 * HOUR_MS,
    isCurrent: index === 0,
  })),
  alerts: ALERTS,
  deletion: null,
}

const LOGGED: LoggedRequest[] = [
  ['ok', 200, 'HIT', 1, 'news.example', '/2026/11/20/a-rather-long-path-of-an-article-about-something'],
  ['ok', 200, 'MISS', 412, 'shop.example', '/p/4711'],
  ['http_status 404', 502, null, 187, 'shop.example', '/p/4712'],
  ['timeout', 502, null, 5_003, 'slow.example', '/'],
  ['minute_limit', 429, null, 0, 'news.example', '/'],
  ['invalid_request', 400, null, 0, null, null],
  ['key_expired 2026-11-18', 401, null, 0, null, null],
  ['ok', 200, 'MISS', 96, 'shop.example', '/p/4713', 'POST', 'mcp'],
].map((row, index) => {
  const [reason, status, cache, latencyMs, host, path, method = 'GET', format = null] = row as [
    reason: string,
    status: number,
    cache: 'HIT' | null,
    latencyMs: number,
    host: string,
    path: string,
    method?: string,
    format?: string,
  ]
  const shared = {
    userId: 'u1',
    keyId: index === 1 ? 'gone' : '9f3c',
    requestId: `01a2075d-d170-75f9-9f4c-c4b33ba4bff${index}`,
    method,
    format,
  }
  return { ...shared, atMs: NOW_MS - index * 61_000, reason, status, cache, latencyMs, host, path, details: null }
})

export const requestsPage: RequestsProps = {
  frame: member('/usage/requests'),
  keys: KEYS,
  filter: ALL_REQUESTS,
  reasons: countsByReason(LOGGED),
  loggedDays: LOGGED_DAYS,
  requests: LOGGED,
  summary: summarizeRequests(LOGGED),
  paging: { page: 1, pages: 4 },
  opened: null,
  logsUrls: true,
}

const OPENED: OpenedRequest = {
  request: LOGGED[2]!,
  details: {
    redirects: 2,
    phases: { dns: 12, queue: 0, connect: 21, tls: 25, firstByte: 104, render: 1_804 },
    fetchMethod: 'headless',
    interstitial: 'cloudflare',
  },
  methodReason: 'The site refused the plain request, so a browser was tried.',
  apiKey: KEYS[0]!,
  cause: { kind: 'fetch_failed', failure: 'http_status', siteStatus: 404 },
}

const SETTINGS = {
  name: 'Production server',
  expires: '2027-01-31',
  hosts: 'example.com\n*.example.org',
  addresses: '192.0.2.0/24',
}

const keyPage: KeyProps = {
  frame: member('/keys/9f3c'),
  item: KEYS[0]!,
  activity: {
    days: DAYS,
    requests: LOGGED,
    loggedDays: LOGGED_DAYS,
    failuresByReason: summarizeRequests(LOGGED).failuresByReason,
  },
  fields: keyForm(SETTINGS),
  expiryPresets: expiryPresets(NOW_MS),
  overlaps: OVERLAPS,
  successor: null,
  rotated: null,
  error: '',
}

const usage = {
  frame: member('/usage'),
  month: MONTH,
  period: PERIODS[2],
  isCompared: true,
  loggedDays: LOGGED_DAYS,
  keys: KEYS,
  keyId: null,
  days: DAYS,
  plans: PLANS,
  upgradeUrl: 'https://meta.example/pricing',
}

const keys = {
  frame: member('/keys'),
  keys: KEYS,
  paging: { page: 1, pages: 1 },
  active: 3,
  maxKeys: 5,
  maxKeysScope: 'on the Starter plan',
  expiryPresets: expiryPresets(NOW_MS),
  upgradeUrl: null,
  form: NO_KEY_FIELDS,
  error: '',
  created: null,
  idempotencyKey: '0b9e4c1c-8f3d-4c0e-9a53-2f1d6f7a8b90',
}

const overview = {
  frame: member('/'),
  month: MONTH,
  keys: KEYS,
  activeKeys: 3,
  rejectedKeys: [
    { ...KEYS[4]!, successor: null },
    {
      ...KEYS[3]!,
      ...REJECTED,
      ended: { end: 'rotated', endedAtMs: NOW_MS - 5 * DAY_MS },
      successor: SUCCESSOR,
    },
  ] as const,
  days: DAYS,
  upgradeUrl: null,
}

const adminUser = {
  frame: operator('/admin/users/u0'),
  user: USERS[0]!,
  days: DAYS,
  keys: KEYS,
  paging: { page: 1, pages: 2 },
  plans: PLANS,
  limitFields: limitFields(DEFAULT_PLANS.starter, { ...NO_OWN_LIMITS, perMinute: 5_000 }),
  audit: AUDIT.slice(0, 1),
}

const PROVIDERS = [
  { id: 'github', label: 'GitHub' },
  { id: 'google', label: 'Google' },
  { id: 'staff', label: 'Example login' },
]

const users: AdminUsersProps = {
  frame: operator('/admin'),
  filter: { text: '', plan: null, isSuspended: null, sort: 'newest' },
  plans: PLANS,
  users: USERS,
  total: 124,
  maxTotal: 10_000,
  paging: { page: 2, pages: 5 },
}

const invitations: AdminInvitationsProps = {
  frame: operator('/admin/invite'),
  created: null,
  form: { email: '', error: '' },
  pending: [
    { email: 'new@example.com', invitedBy: 'op@example.com', expiresAtMs: NOW_MS + 7 * DAY_MS },
    {
      email: 'a.very.long.address.of.a.colleague.in.another.country@department.example.com',
      invitedBy: 'another.operator.with.a.long.address@example.com',
      expiresAtMs: NOW_MS + DAY_MS,
    },
    { email: 'דוגמה@example.com', invitedBy: 'op@example.com', expiresAtMs: NOW_MS + 2 * DAY_MS },
  ],
  paging: { page: 1, pages: 1 },
}

const foundRequest: AdminRequestsProps = {
  frame: operator('/admin/requests'),
  id: '01a2075d-d170-75f9-9f4c-c4b33ba4bffc',
  found: { ...OPENED, owner: { id: 'u0', email: 'jo.doe@example.com' } },
}

const settings: AdminSettingsProps = {
  frame: operator('/admin/settings'),
  isChangedOnly: false,
  settings: [
    { name: 'URLMETA_HOST', value: '127.0.0.1', source: 'default' },
    { name: 'URLMETA_PORT', value: '8080', source: 'set' },
    { name: 'URLMETA_GITHUB_CLIENT_SECRET', value: '••••', source: 'set' },
    { name: 'URLMETA_UPGRADE_URL', value: null, source: 'default' },
    { name: 'URLMETA_CACHE_TTL', value: '24h', source: 'default' },
    {
      name: 'URLMETA_ALLOW_PRIVATE_HOSTS',
      value: 'intranet.example:8080, wiki.example:8080, 10.20.0.0/16, fd12:3456::/32, '.repeat(4),
      source: 'set',
    },
  ],
}

/** Every page in its usual state and in special states. */
export const SAMPLES: Sample[] = [
  sample('landing', LandingPage, landing),
  sample('landing-public', LandingPage, { ...landing, frame: { ...landing.frame, isPlaygroundPublic: true } }),
  sample('sign-in', SignInPage, { frame: GUEST, providers: PROVIDERS, next: '/usage?days=90', problem: null }),
  sample('sign-in-problem', SignInPage, {
    frame: GUEST,
    providers: [...PROVIDERS, { id: 'ghe', label: 'GitHub (source-code.engineering.example.com)' }],
    next: null,
    problem: 'email_unverified',
  }),
  sample('sign-in-by-link-only', SignInPage, { frame: GUEST, providers: [], next: null, problem: 'link_invalid' }),
  sample('sign-in-invitation-invalid', SignInPage, {
    frame: GUEST,
    providers: PROVIDERS,
    next: null,
    problem: 'invitation_invalid',
  }),
  sample('sign-in-link', SignInLinkPage, {
    frame: { ...GUEST, path: '/sign-in/link' },
    csrf: '',
    token: '3f0e9c',
    email: 'jo@example.com',
    isInvitation: false,
  }),
  sample('sign-in-invitation', SignInLinkPage, {
    frame: operator('/sign-in/link'),
    csrf: 'csrf',
    token: '3f0e9c',
    email: 'new@example.com',
    isInvitation: true,
  }),
  sample('overview', OverviewPage, overview),
  sample('overview-empty', OverviewPage, {
    ...overview,
    keys: [],
    rejectedKeys: [],
    days: [],
    month: { ...MONTH, used: 0 },
    frame: { ...overview.frame, notice: { tone: 'good', text: 'Welcome. You are signed in as jo.doe@example.com.' } },
  }),
  sample('keys', KeysPage, keys),
  sample('keys-created', KeysPage, {
    ...keys,
    created: { name: 'Production server', key: 'urlmeta_live_3b5f0c9a7d1e4826b0f3a9c85d7e6142', allowedOrigins: [] },
  }),
  sample('keys-empty', KeysPage, { ...keys, keys: [], active: 0 }),
  sample('keys-older', KeysPage, {
    ...keys,
    paging: { page: 2, pages: 3 },
    keys: KEYS.filter(({ ended }) => ended !== null),
  }),
  sample('keys-past-the-end', KeysPage, { ...keys, paging: { page: 9, pages: 3 }, keys: [] }),
  sample('keys-cap', KeysPage, { ...keys, maxKeys: 3 }),
  sample('keys-own-cap', KeysPage, { ...keys, maxKeys: 3, maxKeysScope: 'for this account' }),
  sample('keys-long-names', KeysPage, {
    ...keys,
    frame: operator('/keys'),
    keys: [
      key('9f3c', 'Staging server of the feed reader team in Tromsø that nobody dares to switch off before next year'),
      ...KEYS.slice(1),
    ],
  }),
  sample('keys-error', KeysPage, {
    ...keys,
    form: keyForm({ name: 'x'.repeat(101) }),
  }),
  sample('keys-refused', KeysPage, {
    ...keys,
    form: keyForm({ name: 'ci' }),
    error: 'You can create at most 20 keys per hour and 200 in 100 days, deactivated ones included: try again later',
  }),
  sample('keys-restricted', KeysPage, {
    ...keys,
    form: keyForm({ name: 'ci', hosts: 'example.com/path' }),
  }),
  sample('key', KeyPage, keyPage),
  sample('key-rotated', KeyPage, {
    ...keyPage,
    item: { ...KEYS[0]!, replacedById: '41ab', expiresAtMs: NOW_MS + DAY_MS },
    successor: { ...SUCCESSOR, createdAtMs: NOW_MS },
    rotated: { key: 'urlmeta_live_3b5f0c9a7d1e4826b0f3a9c85d7e6142' },
  }),
  sample('key-expiring', KeyPage, {
    ...keyPage,
    item: KEYS[1]!,
    activity: { days: [], requests: [], failuresByReason: [], loggedDays: [] },
  }),
  sample('key-expired', KeyPage, {
    ...keyPage,
    item: {
      ...KEYS[0]!,
      ended: { end: 'rotated', endedAtMs: NOW_MS - DAY_MS },
      replacedById: '41ab',
      expiresAtMs: NOW_MS - DAY_MS,
    },
    successor: SUCCESSOR,
  }),
  sample('key-rejected', KeyPage, { ...keyPage, item: KEYS[4]! }),
  sample('key-rejected-replaced', KeyPage, {
    ...keyPage,
    item: { ...KEYS[4]!, replacedById: '41ab' },
    successor: SUCCESSOR,
  }),
  sample('key-error', KeyPage, {
    ...keyPage,
    error: 'This key has already been rotated, and can no longer be changed. Its successor was shown only once.',
    fields: keyForm({ ...SETTINGS, name: '', addresses: '192.0.2' }),
  }),
  sample('usage', UsagePage, usage),
  sample('usage-90', UsagePage, {
    ...usage,
    period: PERIODS[3],
    keyId: '41ab',
    month: { ...MONTH, used: 9_120 },
    upgradeUrl: null,
  }),
  sample('usage-own-limits', UsagePage, { ...usage, month: { ...MONTH, limits: OWN_LIMITS } }),
  sample('usage-hours', UsagePage, { ...usage, period: PERIODS[0], days: HOURS }),
  sample('usage-months', UsagePage, {
    ...usage,
    period: PERIODS[4],
    days: Array.from({ length: 14 }, (_, index) => ({
      ...DAYS[index * 6]!,
      day: `${2025 + Math.floor((index + 9) / 12)}-${String(((index + 9) % 12) + 1).padStart(2, '0')}`,
    })),
  }),
  sample('usage-outlier', UsagePage, {
    ...usage,
    period: PERIODS[1],
    days: DAYS.map((day, index) => (index === 86 ? { ...day, successes: 48_000 } : day)),
  }),
  sample('usage-empty', UsagePage, { ...usage, keys: [], days: [], month: { ...MONTH, used: 10_000 } }),
  sample('requests', RequestsPage, requestsPage),
  sample('requests-without-urls', RequestsPage, {
    ...requestsPage,
    filter: { keyId: '9f3c', result: 'failed', text: '', day: null },
    requests: LOGGED.slice(2).map((request) => ({ ...request, host: null, path: null })),
    summary: summarizeRequests(LOGGED.slice(2).map((request) => ({ ...request, host: null }))),
    paging: { page: 1, pages: 1 },
    logsUrls: false,
  }),
  sample('requests-no-match', RequestsPage, {
    ...requestsPage,
    filter: { keyId: 'deleted', result: 'tls_error', text: 'gone.example', day: '2026-11-20T14' },
    requests: [],
    summary: summarizeRequests([]),
    paging: { page: 1, pages: 1 },
  }),
  sample('request', RequestsPage, { ...requestsPage, opened: OPENED }),
  sample('request-cached', RequestsPage, {
    ...requestsPage,
    opened: {
      request: LOGGED[0]!,
      details: { cacheLayer: 'memory' as const },
      methodReason: '',
      apiKey: null,
      cause: null,
    },
  }),
  sample('requests-empty', RequestsPage, {
    ...requestsPage,
    reasons: [],
    requests: [],
    summary: summarizeRequests([]),
    paging: { page: 1, pages: 1 },
    logsUrls: false,
  }),
  sample('playground', PlaygroundPage, playground),
  ...(['checks', 'json', 'sources', 'timing', 'embed', 'code'] as const).map((tab) =>
    sample(`playground-${tab}`, PlaygroundPage, { ...playground, tab }),
  ),
  sample('playground-start', PlaygroundPage, {
    ...playground,
    frame: member('/playground'),
    form: { url: '', timeout: '', isFresh: false, errors: { url: '', timeout: '' } },
    outcome: null,
  }),
  sample('playground-shared-list', PlaygroundPage, {
    ...playground,
    frame: member('/playground'),
    form: { url: '', timeout: '', isFresh: false, errors: { url: '', timeout: '' } },
    outcome: null,
    sharing: {
      ...NOTHING_SHARED,
      shared: [ANSWER.url, `https://example.com/${'long-path/'.repeat(30)}`].map((url, index) => ({
        id: `s${index}`,
        url,
        createdAtMs: NOW_MS - index * DAY_MS,
        expiresAtMs: NOW_MS + (7 - index) * DAY_MS,
      })),
    },
  }),
  sample('playground-shared', PlaygroundPage, {
    ...playground,
    sharing: {
      ...NOTHING_SHARED,
      created: { url: `https://meta.example/shared/${'aB3_-'.repeat(9)}`, expiresAtMs: NOW_MS + 7 * DAY_MS },
    },
  }),
  sample('playground-not-shared', PlaygroundPage, {
    ...playground,
    sharing: { ...NOTHING_SHARED, error: 'This result is too large to share.' },
  }),
  ...(['previews', 'checks', 'json', 'sources', 'timing', 'embed', 'code'] as const).map((tab) =>
    sample(`shared-${tab}`, SharedPage, {
      frame: { ...GUEST, path: '/shared/aB3_' },
      token: 'aB3_',
      result: playground.outcome,
      tab,
      sharedAtMs: NOW_MS - DAY_MS,
      expiresAtMs: NOW_MS + 6 * DAY_MS,
    }),
  ),
  sample('public-playground', PublicPlaygroundPage, { ...PUBLIC, outcome: null }),
  sample('public-playground-result', PublicPlaygroundPage, {
    ...PUBLIC,
    url: ANSWER.url,
    outcome: playground.outcome,
  }),
  sample('public-playground-limit', PublicPlaygroundPage, {
    ...PUBLIC,
    url: ANSWER.url,
    error: 'Rate limit exceeded: 5 requests per minute allowed per client address. Retry in 12 seconds.',
    outcome: null,
  }),
  sample('playground-expired', PlaygroundPage, {
    ...playground,
    frame: member('/playground'),
    form: { ...FORM, url: '' },
    outcome: 'expired',
  }),
  sample('playground-plain', PlaygroundPage, {
    ...playground,
    outcome: {
      kind: 'success',
      response: PLAIN,
      id: '5b0f5c1e',
      isCached: true,
      images: {},
      preview: 'unknown',
      explanation: null,
    },
  }),
  sample('playground-headless', PlaygroundPage, {
    ...playground,
    outcome: {
      ...playground.outcome,
      response: { ...ANSWER, fetch_method: 'headless', response_time_ms: 1_804 },
      preview: linkPreviewFor({ response: ANSWER, html: SHELL, rendered: HTML, images: [IMAGE_FACTS] }),
      explanation: {
        sources: SOURCES,
        methodReason: 'The page is an empty shell that scripts fill.',
        trace: {
          hops: HOPS.slice(1),
          method: { method: 'headless', reason: 'empty_mount_point' },
          rendering: {
            durationMs: 1_402,
            requests: 34,
            bytes: 812_000,
            hosts: 6,
            refused: [{ destination: 'metrics.internal.example:9090', refusal: 'private' }],
          },
        },
      },
    },
  }),
  sample('playground-small', PlaygroundPage, {
    ...playground,
    form: { ...FORM, timeout: '8000', isFresh: true },
    httpUrl: 'http://example.com/lights',
    outcome: {
      ...playground.outcome,
      response: { ...ANSWER, twitter_card: { card: 'summary' } },
      preview: linkPreviewFor({
        response: ANSWER,
        html: HTML.replace('summary_large_image', 'summary'),
        images: [{ ...IMAGE_FACTS, size: { width: 480, height: 640 } }],
      }),
    },
  }),
  sample('playground-broken-image', PlaygroundPage, {
    ...playground,
    outcome: {
      ...playground.outcome,
      preview: linkPreviewFor({
        response: ANSWER,
        html: HTML,
        images: [{ ...IMAGE_FACTS, problem: 'HTTP 404', size: null, bytes: null, mimeType: '' }],
      }),
    },
  }),
  sample('playground-robots', PlaygroundPage, {
    ...playground,
    outcome: {
      ...playground.outcome,
      preview: linkPreviewFor({
        response: ANSWER,
        html: `${HTML}<link rel="alternate" type="application/json+oembed" href="/oembed">`,
        images: [IMAGE_FACTS],
        oembed: {
          url: new URL('/oembed', ANSWER.url).href,
          problem: '',
          type: 'link',
          title: 'Where to see the northern lights this winter',
          author: 'Jo Doe',
          provider: 'Example Travel',
          image: IMAGE_FACTS.url,
          thumbnail: IMAGE_FACTS.url,
        },
        robots: [
          {
            url: ANSWER.url,
            file: new URL('/robots.txt', ANSWER.url).href,
            problem: '',
            disallowed: ['x', 'linkedin', 'google'],
          },
        ],
      }),
    },
  }),
  sample('playground-long', PlaygroundPage, {
    ...playground,
    outcome: {
      ...playground.outcome,
      preview: linkPreviewFor({
        response: { ...ANSWER, url: ANSWER.url.replace('http:', 'https:') },
        html: [
          `<meta property="og:title" content="${'A title of 800 characters '.repeat(31).trim()}">`,
          `<meta property="og:description" content="and a description">`,
          `<meta property="og:site_name" content="of a site">`,
          '<meta property="og:type" content="article"><meta name="twitter:card" content="summary_large_image">',
          '<meta property="og:image" content="/images/a.png"><meta property="og:image" content="/images/b.png">',
          '<meta property="og:image" content="/images/c.png"><meta name="pubdate" content="2026-11-20T10:00:00Z">',
        ].join('\n'),
        robots: [],
      }),
    },
  }),
  sample('playground-video', PlaygroundPage, {
    ...playground,
    outcome: {
      ...playground.outcome,
      preview: linkPreviewFor({
        response: { ...ANSWER, url: ANSWER.url.replace('http:', 'https:') },
        html: `${HTML}<meta property="og:type" content="video"><meta property="og:video" content="https://example.com/a.mp4">`,
        images: [IMAGE_FACTS],
      }),
    },
  }),
  sample('playground-edited', PlaygroundPage, {
    ...playground,
    outcome: {
      ...playground.outcome,
      preview: linkPreviewFor({
        response: ANSWER,
        html: HTML,
        images: [IMAGE_FACTS],
        editedTags: HTML.replaceAll('Where to see', 'Where to find'),
      }),
    },
  }),
  sample('playground-error', PlaygroundPage, {
    ...playground,
    form: {
      ...FORM,
      url: 'ftp://example.com',
      errors: {
        url: 'Invalid URL: must start with http:// or https://',
        timeout: 'A whole number from 1 to 15000',
      },
    },
    outcome: null,
  }),
  sample('playground-failure', PlaygroundPage, {
    ...playground,
    outcome: {
      kind: 'failure',
      status: 502,
      error: 'Failed to fetch URL: address not allowed',
      cause: { kind: 'fetch_failed', failure: 'address_not_allowed', siteStatus: null },
      trace: {
        hops: [
          HOPS[0]!,
          hop('http://intranet.example.com/', {
            by: 'redirect',
            isDowngrade: true,
            addresses: [{ address: '10.0.0.7', verdict: 'private', refusal: 'private' }],
            attempts: [],
            failure: 'address not allowed: private',
          }),
        ],
      },
    },
  }),
  sample('docs', DocsPage, {
    ...docs('/docs'),
    document: openapiDocument({ baseUrl: GUEST.baseUrl, plans: DEFAULT_PLANS, cacheTtlMs: 86_400_000 }) as ApiDocument,
    plans: PLANS,
  }),
  sample('document', DocumentPage, {
    ...docs('/docs/api'),
    document: DOCUMENTATION.documents.find(({ path }) => path === '/docs/api')!,
  }),
  sample('docs-search', DocSearchPage, {
    ...docs('/docs/search'),
    query: 'rate limit',
    hits: searchDocuments(DOCUMENTATION.documents, 'rate limit'),
  }),
  sample('docs-search-empty', DocSearchPage, { ...docs('/docs/search'), query: '', hits: [] }),
  sample('account', AccountPage, account),
  sample('account-without-alerts', AccountPage, { ...account, alerts: { webhook: null, alerts: [], form: null } }),
  sample('account-alert-error', AccountPage, {
    ...account,
    alerts: {
      ...ALERTS,
      form: {
        url: 'http://10.0.0.1/',
        error: 'Invalid URL: the address is private or reserved',
        testError: 'HTTP 500',
      },
    },
  }),
  sample('account-mistyped', AccountPage, {
    ...account,
    connections: [],
    others: [],
    deletion: { typed: 'jo@example.com', error: 'Type jo.doe@example.com to delete the account.' },
  }),
  sample('admin-users', AdminUsersPage, users),
  sample('admin-users-many', AdminUsersPage, {
    ...users,
    filter: { text: 'דוגמה', plan: 'growth', isSuspended: false, sort: 'usage' },
    // The highest limit that can be configured.
    users: USERS.map((user) => ({ ...user, used: 123_456_789, monthLimit: 1_000_000_000 })),
    total: 10_000,
    paging: { page: 1, pages: 200 },
  }),
  sample('admin-invitations', AdminInvitationsPage, invitations),
  sample('admin-invited', AdminInvitationsPage, {
    ...invitations,
    created: {
      isInvitation: true,
      email: 'new@example.com',
      link: 'https://meta.example/sign-in/link?token=3f0e9c5b7d1e4826b0f3a9c85d7e61423f0e9c5b7d1&invitation=1',
      expiresAtMs: NOW_MS + 7 * DAY_MS,
    },
  }),
  sample('admin-not-invited', AdminInvitationsPage, {
    ...invitations,
    form: { email: 'jo@example.com', error: 'jo@example.com already has an account' },
    pending: [],
  }),
  sample('admin-settings', AdminSettingsPage, settings),
  sample('admin-settings-changed', AdminSettingsPage, { ...settings, isChangedOnly: true }),
  sample('admin-requests-found', AdminRequestsPage, foundRequest),
  sample('admin-requests', AdminRequestsPage, { frame: operator('/admin/requests'), id: '', found: null }),
  sample('admin-requests-missing', AdminRequestsPage, { ...foundRequest, found: null }),
  sample('admin-users-empty', AdminUsersPage, {
    ...users,
    filter: { ...users.filter, text: 'nobody' },
    users: [],
    total: 0,
    paging: { page: 1, pages: 1 },
  }),
  sample('admin-user', AdminUserPage, adminUser),
  sample('admin-user-suspended', AdminUserPage, { ...adminUser, user: USERS[3]!, keys: KEYS.slice(0, 2), audit: [] }),
  sample('admin-user-own', AdminUserPage, { ...adminUser, user: USERS[1]!, days: [], keys: [], audit: [] }),
  sample('admin-user-limits-error', AdminUserPage, {
    ...adminUser,
    limitFields: limitFields(DEFAULT_PLANS.starter, NO_OWN_LIMITS, () => '-1'),
  }),
  sample('admin-health', AdminHealthPage, health),
  sample('admin-health-quiet', AdminHealthPage, {
    ...health,
    startedAtMs: NOW_MS - HOUR_MS,
    isWholeDay: false,
    chromium: { state: 'missing', detail: '', active: 0, limit: 2, waiting: 0 },
    backup: {
      last: null,
      nextAtMs: NOW_MS + HOUR_MS,
      error: 'Cannot back up to /backups/urlmeta-20261120T120000Z.db: the disk is full',
      isRunning: false,
    },
    disk: {
      status: 'warning',
      detail: '640 MB are free',
      remedy: 'Free space on this disk, or lower URLMETA_CACHE_MAX_ENTRIES.',
    },
    redis: { isUp: false, reason: 'no response within 500 ms' },
    cache: { entries: null, maxEntries: 1_000_000 },
    day: { ...health.day, responses: 0, cacheHits: 0, failures: 0, fetched: NO_LATENCY, cached: NO_LATENCY },
    failuresByReason: [],
    failingHosts: [],
  }),
  sample('admin-health-postgres', AdminHealthPage, {
    ...health,
    backup: null,
    database: {
      kind: 'PostgreSQL',
      place: 'postgres://urlmeta:••••@db.example:5432/urlmeta',
      backupProgram: 'pg_dump',
      bytes: null,
    },
  }),
  sample('admin-health-backing-up', AdminHealthPage, { ...health, backup: { ...health.backup, isRunning: true } }),
  sample('admin-audit', AdminAuditPage, {
    frame: operator('/admin/audit'),
    entries: AUDIT,
    paging: { page: 1, pages: 3 },
  }),
  sample('admin-audit-empty', AdminAuditPage, {
    frame: operator('/admin/audit'),
    entries: [],
    paging: { page: 1, pages: 1 },
  }),
  ...[403, 404, 429, 500].map((status) =>
    sample(`error-${status}`, ErrorPage, {
      frame: status === 403 ? member('/keys') : GUEST,
      status,
      isFormExpired: false,
      message: null,
      retryAfterSeconds: status === 429 ? 42 : null,
      requestId: status === 500 ? '0199a1b2c3d4' : null,
    }),
  ),
]
