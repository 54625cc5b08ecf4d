import { describe, expect, test } from 'bun:test'

import { type Config, parseConfig, publicOrigin } from '../src/config.ts'
import { isInRange, parseAddress } from '../src/core/net/address.ts'
import { PROJECT_URL } from '../src/version.ts'

type Env = Record<string, string | undefined>

const GB = 1024 ** 3
const MACHINE = { cpus: 3, memoryBytes: 8 * GB }
const PAGES = 6

/** The variables of an OpenID Connect issuer. */
const oidc = (name: string, issuer: string): Env => ({
  [`URLMETA_OIDC_${name}_ISSUER`]: issuer,
  [`URLMETA_OIDC_${name}_CLIENT_ID`]: 'id',
  [`URLMETA_OIDC_${name}_CLIENT_SECRET`]: 's3cret',
})

function configOf(env: Env): Config {
  const parsed = parseConfig(env, MACHINE)
  if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
  return parsed.config
}

function errorsOf(env: Env): string[] {
  const parsed = parseConfig(env, MACHINE)
  return 'errors' in parsed ? parsed.errors : []
}

function loadConfig(env: Env) {
  const parsed = parseConfig(env, MACHINE)
  if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
  return Object.fromEntries(parsed.variables.map(({ name, ...variable }) => [name, variable]))
}

describe('an empty environment gives the documented defaults', () => {
  const defaults: [name: string, value: (config: Config) => unknown, expected: unknown][] = [
    ['host', (c) => c.host, '127.0.0.1'],
    ['port', (c) => c.port, 3000],
    ['baseUrl', (c) => c.baseUrl, 'http://localhost:3000'],
    ['dataDir', (c) => c.dataDir, './data'],
    ['providers', (c) => c.providers, []],
    ['adminEmails', (c) => c.adminEmails, []],
    ['cache', (c) => c.cache, { ttlMs: 86_400_000, maxEntries: 1_000_000 }],
    ['free', (c) => c.live.plans.free, { name: 'free', label: 'Free', perMinute: 10, perMonth: 1_000, maxKeys: 2 }],
    ['business per month', (c) => c.live.plans.business.perMonth, 1_000_000],
    ['upgradeUrl', (c) => c.upgradeUrl, null],
    ['chromium', (c) => c.chromium, { mode: 'auto' }],
    ['headlessConcurrency is two for each CPU, and one for each GB', (c) => c.headlessConcurrency, PAGES],
    ['fetchConcurrency', (c) => c.fetchConcurrency, 256],
    ['allow', (c) => c.live.allow, []],
    ['dnsServers', (c) => c.dnsServers, null],
    ['egressProxy', (c) => c.egressProxy, null],
    ['sites', (c) => c.live.sites, []],
    [
      'userAgent',
      (c) => c.userAgent.text.replace(/\d+\.\d+\.\d+/, 'V'),
      'Mozilla/5.0 (compatible; urlmetabot/V; +https://github.com/urlmeta/urlmeta)',
    ],
    ['userAgent', (c) => c.userAgent.isDefault, true],
    ['trustedProxies', (c) => c.trustedProxies, []],
    ['corsOrigins', (c) => c.corsOrigins, []],
    ['browserPerMinute', (c) => c.browserPerMinute, 30],
    ['metricsToken', (c) => c.metricsToken, null],
    ['logLevel', (c) => c.logLevel, 'info'],
  ]
  const config = configOf({ HOME: '/root', PATH: '/bin' })
  test.each(defaults)('%s', (_, value, expected) => expect(value(config)).toEqual(expected))
})

describe('accepted', () => {
  const signIn = { clientId: 'id', clientSecret: 's3cret', label: null }
  const github = { URLMETA_GITHUB_CLIENT_ID: 'id', URLMETA_GITHUB_CLIENT_SECRET: 's3cret' }
  const google = { URLMETA_GOOGLE_CLIENT_ID: 'id', URLMETA_GOOGLE_CLIENT_SECRET: 's3cret' }

  type Accepted = [name: string, env: Env, value: (config: Config) => unknown, expected: unknown]
  const cases: Accepted[] = [
    ['the lowest port', { URLMETA_PORT: '0' }, (c) => c.port, 0],
    ['the highest port', { URLMETA_PORT: '65535' }, (c) => c.port, 65_535],
    ['an empty value counts as not set', { URLMETA_PORT: '' }, (c) => c.port, 3000],
    ['white space counts as not set', { URLMETA_PORT: ' \t' }, (c) => c.port, 3000],
    ['empty quotes count as not set', { URLMETA_PORT: '""' }, (c) => c.port, 3000],
    ['double quotes are removed', { URLMETA_PORT: '"8080"' }, (c) => c.port, 8080],
    ['single quotes and white space are removed', { URLMETA_PORT: " '8080' " }, (c) => c.port, 8080],

    ['all interfaces', { URLMETA_HOST: '0.0.0.0' }, (c) => c.host, '0.0.0.0'],
    ['IPv6 in brackets', { URLMETA_HOST: '[::]' }, (c) => c.host, '::'],
    ['IPv6 without brackets', { URLMETA_HOST: '::1' }, (c) => c.host, '::1'],
    ['a host name', { URLMETA_HOST: 'Meta.internal' }, (c) => c.host, 'Meta.internal'],

    ['the base URL follows the port', { URLMETA_PORT: '8080' }, (c) => c.baseUrl, 'http://localhost:8080'],
    ['there is no base URL with port 0', { URLMETA_PORT: '0' }, (c) => c.baseUrl, null],
    [
      'unless it is set',
      { URLMETA_PORT: '0', URLMETA_BASE_URL: 'https://m.example' },
      (c) => c.baseUrl,
      'https://m.example',
    ],
    ['a trailing slash', { URLMETA_BASE_URL: 'https://m.example/' }, (c) => c.baseUrl, 'https://m.example'],
    [
      'capitals and the default port',
      { URLMETA_BASE_URL: 'HTTPS://M.Example:443' },
      (c) => c.baseUrl,
      'https://m.example',
    ],
    ['another port', { URLMETA_BASE_URL: 'http://10.0.0.1:8080' }, (c) => c.baseUrl, 'http://10.0.0.1:8080'],

    ['an absolute folder', { URLMETA_DATA_DIR: '/var/lib/urlmeta' }, (c) => c.dataDir, '/var/lib/urlmeta'],
    ['a folder with spaces', { URLMETA_DATA_DIR: '"/srv/my data"' }, (c) => c.dataDir, '/srv/my data'],

    ['GitHub', github, (c) => c.providers, [{ ...signIn, name: 'github', url: 'https://github.com' }]],
    [
      'GitHub Enterprise',
      { ...github, URLMETA_GITHUB_URL: 'https://git.example/' },
      (c) => c.providers,
      [{ ...signIn, name: 'github', url: 'https://git.example' }],
    ],
    ['Google', google, (c) => c.providers, [{ ...signIn, name: 'google', url: 'https://accounts.google.com' }]],
    [
      'an issuer keeps its path and trailing slash',
      { ...google, URLMETA_GOOGLE_ISSUER: 'https://id.example/realms/a/' },
      (c) => c.providers[0]?.url,
      'https://id.example/realms/a/',
    ],
    [
      'a URL without credentials configures nothing',
      { URLMETA_GITHUB_URL: 'https://git.example' },
      (c) => c.providers,
      [],
    ],
    [
      'an OpenID Connect issuer with another name',
      oidc('OKTA', 'https://acme.okta.example'),
      (c) => c.providers,
      [{ ...signIn, name: 'okta', url: 'https://acme.okta.example' }],
    ],
    [
      'a label in any script',
      { ...oidc('MY_IDP', 'https://id.example'), URLMETA_OIDC_MY_IDP_LABEL: '"Łódź 社員"' },
      (c) => c.providers,
      [{ ...signIn, name: 'my_idp', url: 'https://id.example', label: 'Łódź 社員' }],
    ],
    [
      'the longest label',
      { ...oidc('A', 'https://id.example'), URLMETA_OIDC_A_LABEL: 'x'.repeat(40) },
      (c) => c.providers[0]?.label,
      'x'.repeat(40),
    ],
    [
      'several: GitHub, Google, and others by name',
      { ...oidc('OKTA', 'https://b.example'), ...google, ...oidc('ENTRA', 'https://a.example/t/v2.0'), ...github },
      (c) => c.providers.map(({ name }) => name),
      ['github', 'google', 'entra', 'okta'],
    ],
    [
      'a name that ends like a variable',
      oidc('CLIENT_ID', 'https://id.example'),
      (c) => c.providers.map(({ name }) => name),
      ['client_id'],
    ],
    ['variables of an issuer that are empty', { URLMETA_OIDC_OKTA_ISSUER: '' }, (c) => c.providers, []],
    ...['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'].map(
      (url): [string, Env, (config: Config) => unknown, unknown] => [
        `http on this machine, ${url}`,
        {
          ...github,
          ...google,
          ...oidc('A', `${url}/realms/a`),
          URLMETA_GITHUB_URL: url,
          URLMETA_GOOGLE_ISSUER: `${url}/g`,
        },
        (c) => c.providers.map((provider) => provider.url),
        [url, `${url}/g`, `${url}/realms/a`],
      ],
    ),

    [
      'emails in lower case, without empty items',
      { URLMETA_ADMIN_EMAILS: ' Ann@Example.com ,, bob@example.com,' },
      (c) => c.adminEmails,
      ['ann@example.com', 'bob@example.com'],
    ],

    ['no backups', {}, (c) => c.backup, null],
    [
      'backups',
      { URLMETA_BACKUP_DIR: '/backups' },
      (c) => c.backup,
      { directory: '/backups', everyMs: 86_400_000, keep: 7 },
    ],
    [
      'backups at other times',
      { URLMETA_BACKUP_DIR: 'backups', URLMETA_BACKUP_EVERY: '6h', URLMETA_BACKUP_KEEP: '28' },
      (c) => c.backup,
      { directory: 'backups', everyMs: 21_600_000, keep: 28 },
    ],

    ['seconds', { URLMETA_CACHE_TTL: '90s' }, (c) => c.cache.ttlMs, 90_000],
    ['minutes', { URLMETA_CACHE_TTL: '30m' }, (c) => c.cache.ttlMs, 1_800_000],
    ['hours', { URLMETA_CACHE_TTL: '24h' }, (c) => c.cache.ttlMs, 86_400_000],
    ['days', { URLMETA_CACHE_TTL: '7d' }, (c) => c.cache.ttlMs, 604_800_000],
    ['the shortest lifetime', { URLMETA_CACHE_TTL: '1s' }, (c) => c.cache.ttlMs, 1_000],
    ['the longest lifetime', { URLMETA_CACHE_TTL: '365d' }, (c) => c.cache.ttlMs, 31_536_000_000],
    ['one cached result', { URLMETA_CACHE_MAX_ENTRIES: '1' }, (c) => c.cache.maxEntries, 1],
    ['the most cached results', { URLMETA_CACHE_MAX_ENTRIES: '100000000' }, (c) => c.cache.maxEntries, 100_000_000],

    ['a plan per minute', { URLMETA_PLAN_FREE_PER_MINUTE: '1' }, (c) => c.live.plans.free.perMinute, 1],
    ['a plan per month', { URLMETA_PLAN_GROWTH_PER_MONTH: '5' }, (c) => c.live.plans.growth.perMonth, 5],
    ['a closed plan', { URLMETA_PLAN_FREE_PER_MONTH: '0' }, (c) => c.live.plans.free.perMonth, 0],
    ['a plan without keys', { URLMETA_PLAN_BUSINESS_KEYS: '0' }, (c) => c.live.plans.business.maxKeys, 0],
    ['the other numbers stay', { URLMETA_PLAN_STARTER_KEYS: '9' }, (c) => c.live.plans.starter.perMinute, 60],

    [
      'a link',
      { URLMETA_UPGRADE_URL: 'https://e.example/plans?a=1#b' },
      (c) => c.upgradeUrl,
      'https://e.example/plans?a=1#b',
    ],
    [
      'an address to write to',
      { URLMETA_UPGRADE_URL: 'mailto:a@e.example' },
      (c) => c.upgradeUrl,
      'mailto:a@e.example',
    ],

    ['no early rendering', { URLMETA_LEARNED_RENDERING: 'off' }, (c) => c.learnsRendering, false],
    ['no oEmbed', { URLMETA_OEMBED: 'Off' }, (c) => c.oembed, false],
    ['oEmbed by default', {}, (c) => c.oembed, true],
    ['no Chromium', { URLMETA_CHROMIUM: 'OFF' }, (c) => c.chromium, { mode: 'off' }],
    ['a search for Chromium', { URLMETA_CHROMIUM: 'Auto' }, (c) => c.chromium, { mode: 'auto' }],
    [
      'a Chromium',
      { URLMETA_CHROMIUM: '/usr/bin/chromium' },
      (c) => c.chromium,
      { mode: 'path', path: '/usr/bin/chromium' },
    ],
    ['a relative one', { URLMETA_CHROMIUM: './chrome' }, (c) => c.chromium, { mode: 'path', path: './chrome' }],
    [
      'a Chromium elsewhere',
      { URLMETA_CHROMIUM: 'ws://pool:3000?token=s3cret', URLMETA_CHROMIUM_PROXY: '10.0.0.5:3128' },
      (c) => c.chromium,
      {
        mode: 'remote',
        url: 'ws://pool:3000/?token=s3cret',
        proxy: '10.0.0.5:3128',
        listen: { host: '10.0.0.5', port: 3128 },
      },
    ],
    [
      'a Chromium elsewhere, and a proxy that is reached by a name',
      { URLMETA_CHROMIUM: 'https://pool', URLMETA_CHROMIUM_PROXY: 'urlmeta:80' },
      (c) => c.chromium,
      { mode: 'remote', url: 'https://pool/', proxy: 'urlmeta:80', listen: { host: '0.0.0.0', port: 80 } },
    ],
    [
      'a Chromium elsewhere, and a proxy behind another address',
      {
        URLMETA_CHROMIUM: 'http://[fd00::2]:9222',
        URLMETA_CHROMIUM_PROXY: '[fd00::1]:3128',
        URLMETA_CHROMIUM_PROXY_LISTEN: '[::]:3129',
      },
      (c) => c.chromium,
      {
        mode: 'remote',
        url: 'http://[fd00::2]:9222/',
        proxy: '[fd00::1]:3128',
        listen: { host: '::', port: 3129 },
      },
    ],
    ['concurrent pages', { URLMETA_HEADLESS_CONCURRENCY: '256' }, (c) => c.headlessConcurrency, 256],
    ['no workers', { URLMETA_WORKERS: '0' }, (c) => c.workers, 0],
    ['workers', { URLMETA_WORKERS: '8' }, (c) => c.workers, 8],
    ['concurrent fetches', { URLMETA_FETCH_CONCURRENCY: '10000' }, (c) => c.fetchConcurrency, 10_000],

    [
      'what may be fetched although private',
      { URLMETA_ALLOW_PRIVATE_HOSTS: 'wiki.internal, 127.0.0.1:8080' },
      (c) => c.live.allow.map((rule) => rule.port),
      [null, 8080],
    ],
    [
      'every form of DNS server',
      { URLMETA_DNS_SERVERS: '1.1.1.1, 9.9.9.9:53,::1, [::1]:5353, [fd00::1]' },
      (c) => c.dnsServers,
      ['1.1.1.1', '9.9.9.9:53', '::1', '[::1]:5353', '[fd00::1]'],
    ],
    [
      'proxies as ranges and addresses',
      { URLMETA_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1, fd00::/8' },
      (c) =>
        ['10.9.9.9', '192.0.2.1', '192.0.2.2', 'fd00::1'].map((peer) =>
          c.trustedProxies.some((range) => isInRange(parseAddress(peer)!, range)),
        ),
      [true, true, false, true],
    ],

    [
      'a user agent',
      { URLMETA_USER_AGENT: 'my bot (+https://e.example)' },
      (c) => c.userAgent.text,
      'my bot (+https://e.example)',
    ],
    ...[
      ['https://meta.example.com', 'https://meta.example.com'],
      ['http://203.0.113.7', PROJECT_URL],
      ['http://8.8.8.8:8080', 'http://8.8.8.8:8080'],
      ['http://localhost:8080', PROJECT_URL],
      ['http://app.localhost', PROJECT_URL],
      ['http://127.0.0.1:3000', PROJECT_URL],
      ['http://[::1]', PROJECT_URL],
      ['http://192.168.1.2', PROJECT_URL],
      ['http://meta.internal', PROJECT_URL],
    ].map(([base = '', page]): Accepted => [
      `the user agent of an installation at ${base}`,
      { URLMETA_BASE_URL: base },
      (c) => /\+([^)]*)/.exec(c.userAgent.text)?.[1],
      page,
    ]),
    ['a long user agent', { URLMETA_USER_AGENT: 'x'.repeat(512) }, (c) => c.userAgent.text.length, 512],
    [
      'origins for CORS',
      { URLMETA_CORS_ORIGINS: 'https://App.example/, http://localhost:5173' },
      (c) => c.corsOrigins,
      ['https://app.example', 'http://localhost:5173'],
    ],
    ['a metrics token', { URLMETA_METRICS_TOKEN: 'abc' }, (c) => c.metricsToken, 'abc'],
    ['a log level in capitals', { URLMETA_LOG: 'DEBUG' }, (c) => c.logLevel, 'debug'],
    ['a database URL that is empty', { URLMETA_DATABASE_URL: '' }, (c) => c.port, 3000],
    ['an unknown variable that is empty', { URLMETA_PROT: '' }, (c) => c.port, 3000],
    ['variables of other programs', { URLMETAL: '1', URL: '1' }, (c) => c.port, 3000],
  ]
  test.each(cases)('%s', (_, env, value, expected) => expect(value(configOf(env))).toEqual(expected))
})

describe('rejected', () => {
  const range = (name: string, text: string, min: number, max: number): [string, Env, string[]] => [
    `${name} ${text}`,
    { [name]: text },
    [`${name}: expected ${min} to ${max}, got "${text}"`],
  ]
  const origin = 'expected an http(s) origin without path, such as https://meta.example.com, got'
  const corsOrigin = 'expected an http(s) origin without path and wildcard, such as https://app.example.com, got'
  const loopback = '(http only for localhost and loopback addresses)'
  const issuer = `expected an https URL without query, such as https://accounts.google.com ${loopback}, got`
  const ttl = 'expected 1s to 365d, written like 90s, 30m, 24h or 7d, got'
  const server = 'expected an IP address, or ip:port, or [ipv6]:port, got'

  type Case = [name: string, env: Env, errors: string[]]
  const cases: Case[] = [
    ...['abc', '65536', '-1', '3000.0', '1e3', '0x50', '3 000', '３'].map((text) =>
      range('URLMETA_PORT', text, 0, 65_535),
    ),
    range('URLMETA_CACHE_MAX_ENTRIES', '0', 1, 100_000_000),
    range('URLMETA_CACHE_MAX_ENTRIES', '100000001', 1, 100_000_000),
    range('URLMETA_PLAN_FREE_PER_MINUTE', '0', 1, 1_000_000),
    range('URLMETA_PLAN_FREE_PER_MINUTE', '1000001', 1, 1_000_000),
    range('URLMETA_PLAN_STARTER_PER_MONTH', '1000000001', 0, 1_000_000_000),
    range('URLMETA_PLAN_GROWTH_KEYS', '10001', 0, 10_000),
    range('URLMETA_HEADLESS_CONCURRENCY', '0', 1, 256),
    range('URLMETA_HEADLESS_CONCURRENCY', '257', 1, 256),
    range('URLMETA_FETCH_CONCURRENCY', '0', 1, 10_000),
    range('URLMETA_FETCH_CONCURRENCY', '10001', 1, 10_000),
    range('URLMETA_WORKERS', '9', 0, 8),

    ...[
      '0.0.0.0:3000',
      'http://localhost',
      '300.1.1.1',
      'a b',
      '[::1',
      'user@host',
      '\u212Aim.internal',
      '*',
      '::1%lo',
    ].map((text): [string, Env, string[]] => [
      `host ${text}`,
      { URLMETA_HOST: text },
      [`URLMETA_HOST: expected an IP address or host name, got "${text}"`],
    ]),

    ...[
      'm.example',
      'localhost:3000',
      'https://m.example/app',
      'https://m.example/?a',
      'https://m.example/#a',
      'ftp://m.example',
    ].map((text): [string, Env, string[]] => [
      `base URL ${text}`,
      { URLMETA_BASE_URL: text },
      [`URLMETA_BASE_URL: ${origin} "${text}"`],
    ]),
    [
      'the password in a URL is not repeated',
      { URLMETA_BASE_URL: 'https://ann:hunter2@m.example' },
      [`URLMETA_BASE_URL: ${origin} "https://••••@m.example"`],
    ],
    [
      'nor are those of several URLs',
      { URLMETA_BASE_URL: 'https://ann:hunter2@m.example https://jo:s3cret@n.example' },
      [`URLMETA_BASE_URL: ${origin} "https://••••@m.example https://••••@n.example"`],
    ],
    [
      'a long value is cut',
      { URLMETA_BASE_URL: 'x'.repeat(200) },
      [`URLMETA_BASE_URL: ${origin} "${'x'.repeat(120)}"`],
    ],

    [
      'a path that only a shell understands',
      { URLMETA_DATA_DIR: '~/data' },
      ['URLMETA_DATA_DIR: expected a path without ~, which only a shell expands, got "~/data"'],
    ],

    [
      'an id without its secret',
      { URLMETA_GITHUB_CLIENT_ID: 'id' },
      ['URLMETA_GITHUB_CLIENT_SECRET: missing, because URLMETA_GITHUB_CLIENT_ID is set'],
    ],
    [
      'a secret without its id',
      { URLMETA_GOOGLE_CLIENT_SECRET: 's' },
      ['URLMETA_GOOGLE_CLIENT_ID: missing, because URLMETA_GOOGLE_CLIENT_SECRET is set'],
    ],
    [
      'a wrong id is not also missing',
      { URLMETA_GITHUB_CLIENT_ID: 'a b', URLMETA_GITHUB_CLIENT_SECRET: 's' },
      ['URLMETA_GITHUB_CLIENT_ID: expected visible ASCII characters without spaces, got "a b"'],
    ],
    [
      'an issuer with a query',
      {
        URLMETA_GOOGLE_CLIENT_ID: 'i',
        URLMETA_GOOGLE_CLIENT_SECRET: 's',
        URLMETA_GOOGLE_ISSUER: 'https://e.example/?a',
      },
      [`URLMETA_GOOGLE_ISSUER: ${issuer} "https://e.example/?a"`],
    ],
    ...['http://id.example', 'http://10.0.0.1', 'http://id.localhost', 'http://[::2]'].flatMap(
      (url): [string, Env, string[]][] => [
        [`an issuer over ${url}`, { URLMETA_GOOGLE_ISSUER: url }, [`URLMETA_GOOGLE_ISSUER: ${issuer} "${url}"`]],
        [
          `a GitHub over ${url}`,
          { URLMETA_GITHUB_URL: url },
          [
            `URLMETA_GITHUB_URL: expected an https origin without path, such as https://github.com ${loopback}, got "${url}"`,
          ],
        ],
        [`an issuer of its own name over ${url}`, oidc('A', url), [`URLMETA_OIDC_A_ISSUER: ${issuer} "${url}"`]],
      ],
    ),
    ...(['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET'] as const).map((missing): [string, Env, string[]] => [
      `an issuer without its ${missing}`,
      { ...oidc('OKTA', 'https://id.example'), [`URLMETA_OIDC_OKTA_${missing}`]: '' },
      [
        `URLMETA_OIDC_OKTA_${missing}: missing, because URLMETA_OIDC_OKTA_${missing === 'ISSUER' ? 'CLIENT_ID' : 'ISSUER'} is set`,
      ],
    ]),
    [
      'only a label',
      { URLMETA_OIDC_OKTA_LABEL: 'Okta' },
      ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET'].map(
        (part) => `URLMETA_OIDC_OKTA_${part}: missing, because URLMETA_OIDC_OKTA_LABEL is set`,
      ),
    ],
    ...['x'.repeat(41), 'a\u202Eb', '\u200B'].map((text): [string, Env, string[]] => [
      `the label ${JSON.stringify(text)}`,
      { ...oidc('A', 'https://id.example'), URLMETA_OIDC_A_LABEL: text },
      [`URLMETA_OIDC_A_LABEL: expected at most 40 visible characters, got ${JSON.stringify(text)}`],
    ]),
    ...['GITHUB', 'GOOGLE', 'LINK'].map((name): [string, Env, string[]] => [
      `an issuer called ${name}`,
      oidc(name, 'https://id.example'),
      [`URLMETA_OIDC_${name}_ISSUER: the name ${name} is reserved, choose another`],
    ]),
    [
      'the same issuer twice',
      { ...oidc('A', 'https://id.example'), ...oidc('B', 'https://id.example') },
      ['URLMETA_OIDC_B_ISSUER: the same as URLMETA_OIDC_A_ISSUER'],
    ],
    [
      'an issuer that is Google’s',
      {
        URLMETA_GOOGLE_CLIENT_ID: 'i',
        URLMETA_GOOGLE_CLIENT_SECRET: 's',
        ...oidc('B', 'https://accounts.google.com'),
      },
      ['URLMETA_OIDC_B_ISSUER: the same as URLMETA_GOOGLE_ISSUER'],
    ],
    [
      'every wrong item of a list',
      { URLMETA_ADMIN_EMAILS: 'ann, a@example.com, bob' },
      ['URLMETA_ADMIN_EMAILS: expected an email address, got "ann"; expected an email address, got "bob"'],
    ],

    [
      'an address that only folds to ASCII',
      { URLMETA_ADMIN_EMAILS: '\u212Aim@example.com' },
      ['URLMETA_ADMIN_EMAILS: expected an email address, got "\u212Aim@example.com"'],
    ],
    [
      'a list of empty items',
      { URLMETA_DNS_SERVERS: ' , ' },
      ['URLMETA_DNS_SERVERS: expected a comma-separated list, got ","'],
    ],

    ...['0s', '366d', '24', '24H', '1.5h', '-1h', '1w', 'h', '1h30m', '24 h'].map((text): [string, Env, string[]] => [
      `lifetime ${text}`,
      { URLMETA_CACHE_TTL: text },
      [`URLMETA_CACHE_TTL: ${ttl} "${text}"`],
    ]),

    ...['0', '1001', 'all'].map((text): [string, Env, string[]] => [
      `keep ${text} backups`,
      { URLMETA_BACKUP_KEEP: text },
      [`URLMETA_BACKUP_KEEP: expected 1 to 1000, got "${text}"`],
    ]),
    [
      'backups every few seconds',
      { URLMETA_BACKUP_EVERY: '59s' },
      ['URLMETA_BACKUP_EVERY: expected 1m to 365d, written like 90s, 30m, 24h or 7d, got "59s"'],
    ],
    [
      'a link that runs',
      { URLMETA_UPGRADE_URL: 'javascript:alert(1)' },
      ['URLMETA_UPGRADE_URL: expected an http(s) or mailto URL, got "javascript:alert(1)"'],
    ],
    ...['ann@', ':s3cret@', 'ann:s3cret@'].map((account): [string, Env, string[]] => [
      `a link that would show everybody ${account}`,
      { URLMETA_UPGRADE_URL: `https://${account}e.example/plans` },
      [
        'URLMETA_UPGRADE_URL: expected an http(s) or mailto URL, got ' +
          `"https://${account.includes(':') ? '••••@' : account}e.example/plans"`,
      ],
    ]),
    ...['none', 'false', 'chromium'].map((text): [string, Env, string[]] => [
      `Chromium ${text}`,
      { URLMETA_CHROMIUM: text },
      [
        `URLMETA_CHROMIUM: expected auto, off, a path such as /usr/bin/chromium, or a ws(s):// or http(s):// URL, got "${text}"`,
      ],
    ]),
    [
      'private hosts as URLs',
      { URLMETA_ALLOW_PRIVATE_HOSTS: 'http://wiki.internal/' },
      [
        'URLMETA_ALLOW_PRIVATE_HOSTS: expected host, host:port, or a range such as 10.0.0.0/8, got "http://wiki.internal/"',
      ],
    ],
    ...['dns.example', '1.1.1.1:0', '1.1.1.1:65536', '[1.1.1.1]:53', '[::1]:', '::1]:53'].map(
      (text): [string, Env, string[]] => [
        `DNS server ${text}`,
        { URLMETA_DNS_SERVERS: text },
        [`URLMETA_DNS_SERVERS: ${server} "${text}"`],
      ],
    ),
    ...['10.0.0.0/33', 'fd00::/129', '10/8', 'proxy.internal'].map((text): [string, Env, string[]] => [
      `proxies ${text}`,
      { URLMETA_TRUSTED_PROXIES: text },
      [`URLMETA_TRUSTED_PROXIES: expected an IP address or a range such as 10.0.0.0/8, got "${text}"`],
    ]),
    ...['*', 'null', 'app.example', 'https://app.example/app', 'https://*.app.example'].map(
      (text): [string, Env, string[]] => [
        `CORS origin ${text}`,
        { URLMETA_CORS_ORIGINS: text },
        [`URLMETA_CORS_ORIGINS: ${corsOrigin} "${text}"`],
      ],
    ),
    ...['a\nb', 'ü', 'x'.repeat(513)].map((text): [string, Env, string[]] => [
      `user agent ${text.slice(0, 3)}`,
      { URLMETA_USER_AGENT: text },
      [
        `URLMETA_USER_AGENT: expected at most 512 printable ASCII characters, got ${JSON.stringify(text.slice(0, 120))}`,
      ],
    ]),
    ...['ftp://pool', 'ws://', 'ws://jo:pw@pool', 'ws://pool#x'].map((text): [string, Env, string[]] => [
      `Chromium at ${text}`,
      { URLMETA_CHROMIUM: text },
      [
        'URLMETA_CHROMIUM: expected auto, off, a path such as /usr/bin/chromium, or a ws(s):// or http(s):// URL ' +
          'without user and password (value not shown)',
      ],
    ]),
    [
      'Chromium elsewhere without a proxy',
      { URLMETA_CHROMIUM: 'ws://pool' },
      ['URLMETA_CHROMIUM_PROXY: missing, because URLMETA_CHROMIUM is a URL'],
    ],
    [
      'a proxy for a Chromium of our own',
      { URLMETA_CHROMIUM_PROXY: 'h:1', URLMETA_CHROMIUM_PROXY_LISTEN: 'h:1' },
      [
        'URLMETA_CHROMIUM_PROXY: has no effect unless URLMETA_CHROMIUM is a URL',
        'URLMETA_CHROMIUM_PROXY_LISTEN: has no effect unless URLMETA_CHROMIUM is a URL',
      ],
    ],
    ...['h', 'h:0', 'h:65536', 'h:1/', 'u@h:1', ':1', 'http://h:1'].map((text): [string, Env, string[]] => [
      `proxy for Chromium at ${text}`,
      { URLMETA_CHROMIUM: 'ws://pool', URLMETA_CHROMIUM_PROXY: text },
      [expect.stringMatching(/^URLMETA_CHROMIUM_PROXY: expected host:port, got /) as unknown as string],
    ]),
    ['log level', { URLMETA_LOG: 'trace' }, ['URLMETA_LOG: expected debug, info, warn, error, got "trace"']],

    ...[
      'mysql://u:secret@h/d',
      'postgres://u:secret@/d',
      'postgres://h',
      'postgres://h/a/b',
      'postgres://u:1/secret@h',
      'postgres://u:50%off@h/d',
      'postgres://u:pa%ff@h/d',
      'postgres://u%@h/d',
      'postgres://u:s@h/d%2',
      'secret',
    ].map((text): Case => [
      `database ${text}`,
      { URLMETA_DATABASE_URL: text },
      [
        'URLMETA_DATABASE_URL: expected postgres://user:password@host:port/database, with % of the password as %25 (value not shown)',
      ],
    ]),
    [
      'backups of PostgreSQL',
      { URLMETA_DATABASE_URL: 'postgres://h/d', URLMETA_BACKUP_DIR: '/backups' },
      ['URLMETA_BACKUP_DIR: has no effect with URLMETA_DATABASE_URL: back up PostgreSQL with pg_dump'],
    ],
    ...['x'.repeat(31), '31 characters and a long space.'].map((text): Case => [
      `secret of ${text.length} characters`,
      { URLMETA_SECRET: text },
      ['URLMETA_SECRET: expected at least 32 characters, such as from openssl rand -hex 32 (value not shown)'],
    ]),
    [
      'shutdown delay',
      { URLMETA_SHUTDOWN_DELAY: '10m' },
      ['URLMETA_SHUTDOWN_DELAY: expected 0s to 5m, written like 90s, 30m, 24h or 7d, got "10m"'],
    ],
    ...[
      'h',
      'http://h',
      'redis://',
      'redis://:pw@',
      'redis://h/db',
      'redis://h?db=1',
      'redis://h:0',
      'redis://h/1/2',
      'redis://:pa%ss@h',
    ].map((text): Case => [
      `Redis at ${text}`,
      { URLMETA_REDIS_URL: text },
      [
        'URLMETA_REDIS_URL: expected redis:// or rediss://[user:password@]host[:port][/database], with % of the password as %25 (value not shown)',
      ],
    ]),
  ]
  test.each(cases)('%s', (_, env, errors) => expect(errorsOf(env)).toEqual(errors))
})

describe('an unknown name', () => {
  const issuers =
    ' (an OpenID Connect issuer is configured by URLMETA_OIDC_<NAME>_ISSUER, _CLIENT_ID, _CLIENT_SECRET and _LABEL, in capitals)'
  const kubernetes = ' (set by Kubernetes for a Service named urlmeta: put enableServiceLinks: false in the pod spec)'
  test.each([
    ['two letters swapped', 'URLMETA_PROT', ', did you mean URLMETA_PORT?'],
    ['lower case', 'urlmeta_port', ', did you mean URLMETA_PORT?'],
    ['a name with an additional word', 'URLMETA_LOG_LEVEL', ', did you mean URLMETA_LOG?'],
    ['a name with a missing word', 'URLMETA_GITHUB_SECRET', ', did you mean URLMETA_GITHUB_CLIENT_SECRET?'],
    ['part of a name', 'URLMETA_TTL', ', did you mean URLMETA_CACHE_TTL?'],
    ['one letter wrong', 'URLMETA_DATABASE_URI', ', did you mean URLMETA_DATABASE_URL?'],
    ['no similar variable', 'URLMETA_XYZZY', ''],
    ['only the prefix', 'URLMETA_', ''],
    ['a service link', 'URLMETA_SERVICE_HOST', kubernetes],
    ['the service link of a port', 'URLMETA_PORT_3000_TCP_ADDR', kubernetes],
    ['an issuer without a name', 'URLMETA_OIDC_ISSUER', issuers],
    ['an issuer in lower case', 'URLMETA_OIDC_okta_ISSUER', issuers],
  ])('%s: %s', (_, name, hint) => {
    expect(errorsOf({ [name]: 'secret-value' })).toEqual([`${name}: unknown variable${hint}`])
  })
})

test('a mistyped variable of an issuer is unknown', () => {
  const env = { ...oidc('OKTA', 'https://id.example'), URLMETA_OIDC_OKTA_CLIENT_SECRT: 'x' }
  expect(errorsOf(env)).toEqual([
    'URLMETA_OIDC_OKTA_CLIENT_SECRT: unknown variable, did you mean URLMETA_OIDC_OKTA_CLIENT_SECRET?',
  ])
})

test('all problems are reported together', () => {
  const errors = errorsOf({
    URLMETA_PORT: 'abc',
    URLMETA_LOG: 'loud',
    URLMETA_REDIS_URL: 'http://h',
    URLMETA_HSOT: '::',
  })
  expect(errors.map((error) => error.split(':')[0])).toEqual([
    'URLMETA_PORT',
    'URLMETA_REDIS_URL',
    'URLMETA_LOG',
    'URLMETA_HSOT',
  ])
})

test.each([
  [1, 64, 4, 0],
  [2, 64, 4, 1],
  [3, 64, 6, 2],
  [9, 64, 18, 8],
  [10, 64, 20, 8],
  [128, 512, 256, 8],
  [1_000, 512, 256, 8],
  // A machine that is sold with 2 GB has a little less.
  [2, 0.5, 1, 1],
  [2, 0.95, 1, 1],
  [2, 1.9, 2, 1],
  [2, 3.8, 4, 1],
  [16, 7.7, 8, 8],
])(
  'with %d CPUs and %d GB, %d pages are open concurrently, and %d workers read pages',
  (cpus, gigabytes, pages, workers) => {
    const parsed = parseConfig({}, { cpus, memoryBytes: gigabytes * GB })
    expect('config' in parsed && parsed.config).toMatchObject({ headlessConcurrency: pages, workers })
  },
)

describe('a secret is never shown', () => {
  const names = [
    'URLMETA_GITHUB_CLIENT_SECRET',
    'URLMETA_GOOGLE_CLIENT_SECRET',
    'URLMETA_METRICS_TOKEN',
    'URLMETA_OIDC_A_CLIENT_SECRET',
  ]
  const ids = { URLMETA_GITHUB_CLIENT_ID: 'id', URLMETA_GOOGLE_CLIENT_ID: 'id', ...oidc('A', 'https://id.example') }
  const good = Object.fromEntries(names.map((name) => [name, 'hunter2']))

  test.each(names)('%s', (name) => {
    expect(loadConfig({ ...ids, ...good })[name]).toEqual({ value: '••••', source: 'set' })
    const errors = errorsOf({ ...ids, ...good, [name]: 'hunter2 with a space' })
    expect(errors).toEqual([`${name}: expected visible ASCII characters without spaces (value not shown)`])
  })
})

describe('settings', () => {
  test('have the effective values and their sources', () => {
    const settings = loadConfig({ URLMETA_PORT: ' "8080" ', URLMETA_CACHE_TTL: '30m' })
    expect(settings['URLMETA_PORT']).toEqual({ value: '8080', source: 'set' })
    expect(settings['URLMETA_BASE_URL']).toEqual({ value: 'http://localhost:8080', source: 'default' })
    expect(settings['URLMETA_CACHE_TTL']).toEqual({ value: '30m', source: 'set' })
    expect(settings['URLMETA_HEADLESS_CONCURRENCY']).toEqual({ value: String(PAGES), source: 'default' })
    expect(settings['URLMETA_UPGRADE_URL']).toEqual({ value: null, source: 'default' })
    expect(settings['URLMETA_METRICS_TOKEN']).toEqual({ value: null, source: 'default' })
  })

  test('can be read back as the environment they came from', () => {
    const env = { URLMETA_PORT: '8080', URLMETA_DNS_SERVERS: '1.1.1.1, ::1', URLMETA_CHROMIUM: 'off' }
    const again = Object.entries(loadConfig(env)).map(([name, { value }]) => [name, value ?? ''])
    expect(configOf(Object.fromEntries(again))).toEqual(configOf(env))
  })
})

test('the config cannot be changed at any depth', () => {
  const config = configOf({ URLMETA_TRUSTED_PROXIES: '10.0.0.0/8', URLMETA_ADMIN_EMAILS: 'a@example.com' })
  for (const part of [
    config,
    config.cache,
    config.live.plans,
    config.live.plans.free,
    config.adminEmails,
    config.trustedProxies,
  ]) {
    expect(Object.isFrozen(part)).toBe(true)
  }
})

test.each([
  ['a port', 3000, 'http://localhost:3000'],
  ['the default port', 80, 'http://localhost'],
])('publicOrigin of %s', (_, port, expected) => expect(publicOrigin({ baseUrl: null, port })).toBe(expected))

test.each([
  ['a base URL', { baseUrl: 'https://example.com', port: 0 }, 'https://example.com'],
  ['any free port', { baseUrl: null, port: 0 }, 'http://localhost:4321'],
])('publicOrigin of a server that listens, with %s', (_, config, expected) =>
  expect(publicOrigin(config, 4_321)).toBe(expected),
)

describe('the database', () => {
  test.each([
    ['a password', 'postgres://jo:s3cret@db.example:6432/urlmeta', 'postgres://jo:••••@db.example:6432/urlmeta'],
    [
      'a password with @ and :',
      'postgresql://jo:s3@c:ret@db.example/urlmeta',
      'postgresql://jo:••••@db.example/urlmeta',
    ],
    ['no password', 'postgres://jo@db.example/urlmeta', 'postgres://jo@db.example/urlmeta'],
    ['no user', 'postgres://[::1]:26257/urlmeta?sslmode=require', 'postgres://[::1]:26257/urlmeta?sslmode=require'],
    [
      'the password of a key',
      'postgres://h/d?sslkey=/k&sslpassword=s3cret',
      'postgres://h/d?sslkey=/k&sslpassword=••••',
    ],
    [
      'passwords as parameters',
      'postgres://h/d?Password=s3&PASSWORD=cret',
      'postgres://h/d?Password=••••&PASSWORD=••••',
    ],
  ])('is shown masked: with %s', (_, url, shown) => {
    expect(configOf({ URLMETA_DATABASE_URL: url }).database).toEqual({ kind: 'PostgreSQL', url })
    expect(loadConfig({ URLMETA_DATABASE_URL: url })['URLMETA_DATABASE_URL']).toEqual({ value: shown, source: 'set' })
  })
})

describe('the egress proxy', () => {
  const URLMETA_EGRESS_PROXY = 'socks5://jo:s3cret@proxy.example:1081'

  test('and its exceptions', () => {
    const { egressProxy } = configOf({
      URLMETA_EGRESS_PROXY,
      URLMETA_EGRESS_PROXY_EXCEPT: 'wiki.example, .intra.example',
    })
    expect(egressProxy).toEqual({
      proxy: {
        protocol: 'socks5',
        host: 'proxy.example',
        port: 1081,
        credentials: { user: 'jo', password: 's3cret' },
      },
      exceptions: [{ name: 'wiki.example', port: null }, { domain: 'intra.example' }],
    })
  })

  test('is shown without credentials', () =>
    expect(loadConfig({ URLMETA_EGRESS_PROXY })['URLMETA_EGRESS_PROXY']).toEqual({
      value: 'socks5://••••@proxy.example:1081',
      source: 'set',
    }))

  test.each<[name: string, env: Env, expected: string]>([
    [
      'another scheme, whose error shows no credentials',
      { URLMETA_EGRESS_PROXY: 'ftp://jo:s3cret@proxy.example' },
      'URLMETA_EGRESS_PROXY: expected http://, https:// or socks5://[user:password@]host:port (value not shown)',
    ],
    [
      'exceptions without a proxy',
      { URLMETA_EGRESS_PROXY_EXCEPT: 'wiki.example' },
      'URLMETA_EGRESS_PROXY_EXCEPT: has no effect without URLMETA_EGRESS_PROXY',
    ],
    [
      'an invalid exception',
      { URLMETA_EGRESS_PROXY, URLMETA_EGRESS_PROXY_EXCEPT: '*.example' },
      'URLMETA_EGRESS_PROXY_EXCEPT: expected host, host:port, .domain, or a range such as 10.0.0.0/8, got "*.example"',
    ],
  ])('refused: %s', (_, env, expected) => expect(errorsOf(env)).toEqual([expected]))
})

test.each([
  ['redis://jo:s3cret@cache:6379/1', 'URLMETA_REDIS_URL', 'redis://••••@cache:6379/1'],
  ['rediss://:s3cr@t@cache', 'URLMETA_REDIS_URL', 'rediss://••••@cache'],
  ['redis://cache', 'URLMETA_REDIS_URL', 'redis://cache'],
  ['wss://pool:3000/chromium?token=s3cret', 'URLMETA_CHROMIUM', 'wss://pool:3000/••••'],
  ['http://pool:9222/', 'URLMETA_CHROMIUM', 'http://pool:9222'],
  ['/usr/bin/chromium', 'URLMETA_CHROMIUM', '/usr/bin/chromium'],
  ['a1'.repeat(32), 'URLMETA_SECRET', '••••'],
])('%s as %s is displayed as %s', (text, name, shown) => {
  const proxy = text.startsWith('/') || name !== 'URLMETA_CHROMIUM' ? {} : { URLMETA_CHROMIUM_PROXY: 'h:1' }
  expect(loadConfig({ [name]: text, ...proxy })[name]).toEqual({ value: shown, source: 'set' })
})
