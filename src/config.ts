import { availableParallelism, totalmem } from 'node:os'

import { readChromium } from './config/chromium.ts'
import { BACKUP_PROGRAMS, type Database, databaseUrl, maskedDatabaseUrl, sqliteFile } from './config/database.ts'
import { EnvReader, type Env, type Flags, type Variable } from './config/env-reader.ts'
import { readProviders } from './config/identity-providers.ts'
import * as network from './config/parse-network.ts'
import * as parse from './config/parse.ts'
import { maskedRule, readSitesFile } from './config/sites-file.ts'
import { isPublicHost } from './core/net/egress.ts'
import { DEFAULT_ACCEPT_LANGUAGE } from './core/net/language.ts'
import type { EgressProxySettings } from './core/net/egress-proxy.ts'
import { mapNames } from './core/map-names.ts'
import { DEFAULT_PLANS, LIMIT_NAMES, type LimitName, LIMITS, type Plan, PLAN_NAMES, type Plans } from './core/plan.ts'
import { type LiveSettings, liveSettings } from './core/settings/live-settings.ts'
import type { SiteRule } from './core/sites/site-rule.ts'
import { PROJECT_URL, VERSION } from './version.ts'

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** About 100 GB in SQLite at 1 kB per result, more than one machine should store. */
const MAX_CACHE_ENTRIES = 100_000_000
/** More backups should be archived elsewhere. */
const MAX_BACKUPS = 1_000
/** Each fetch uses a socket; the usual hard limit of open files is 65,536 or more. */
const MAX_FETCHES = 10_000
/** The main thread cannot keep more threads busy. */
const MAX_WORKERS = 8
/** Each page in Chromium takes about 100 MB. */
const MAX_PAGES = 256
/** A page that fills the memory takes 0.5 GB, and the server and the browser the rest (docs/deploy/README.md#sizes). */
const BYTES_PER_PAGE = 1024 ** 3

/**
 * Pages mostly wait for the network. Two pages per CPU keep it busy; more only slow down each page
 * (docs/benchmarks.md).
 */
const PAGES_PER_CPU = 2
const MIN_DEFAULT_PAGES = 4

/** What the defaults depend on. */
export interface Machine {
  cpus: number
  /** The limit of the control group, if there is one. */
  memoryBytes: number
}

export function thisMachine(): Machine {
  // Node.js documents 0 if there is no limit. Bun on Linux returns the memory of the machine then.
  return { cpus: availableParallelism(), memoryBytes: process.constrainedMemory() || totalmem() }
}

/** The file of variables, in the working directory. */
export const DOTENV = '.env'

/** The public origin. With port 0 it depends on the port that the server listens on. */
export function publicOrigin({ baseUrl, port }: Pick<Config, 'baseUrl' | 'port'>, listeningPort = port): string {
  return baseUrl ?? localOrigin(listeningPort)
}

/** The service's origin on this machine; the default public origin. */
function localOrigin(port: number): string {
  return port === 80 ? 'http://localhost' : `http://localhost:${port}`
}

/**
 * The configuration without `LiveSettings`. A change needs a restart, except of the log level and of the password in the
 * URL of the database. Optional features are either configured completely or null.
 */
export type FixedConfig = Readonly<Omit<ReturnType<typeof readConfig>, keyof LiveSettings>>

/** The validated configuration, deeply frozen. */
export interface Config extends FixedConfig {
  /** The settings that a reload can replace. A server only reads its current snapshot; see `LiveSettings`. */
  readonly live: LiveSettings
}

/** A configuration, and what it was read from. */
export interface LoadedConfig {
  config: Config
  /** With secrets masked. */
  variables: readonly Variable[]
  /** The names of the variables that a reload applies. */
  liveNames: ReadonlySet<string>
}

type Errors = { errors: string[] }

/**
 * Parses the variables into a Config and the values that `urlmeta config` prints, or returns every error by variable
 * name. `flags` are command-line options that override variables.
 */
export function parseConfig(env: Env, machine = thisMachine(), flags: Flags = {}): LoadedConfig | Errors {
  const read = new EnvReader(env, flags)
  const { plans, allow, sites, ...fixed } = readConfig(read, machine)
  const errors = read.errors()
  if (errors.length > 0) return { errors }
  const config = deepFreeze({ ...fixed, live: liveSettings({ plans, allow, sites }) })
  return { config, variables: read.variables, liveNames: read.liveNames }
}

function readConfig(read: EnvReader, { cpus, memoryBytes }: Machine) {
  const listenHost = read.required('URLMETA_HOST', network.host, '127.0.0.1')
  const port = read.required('URLMETA_PORT', parse.wholeNumber(0, 65_535), '3000')
  const localUrl = port === 0 ? null : localOrigin(port)
  const baseUrl = read.optional('URLMETA_BASE_URL', network.origin, localUrl ?? 'http://localhost:PORT') ?? localUrl
  const dataDir = read.required('URLMETA_DATA_DIR', parse.path, './data')
  const postgres = read.secret('URLMETA_DATABASE_URL', databaseUrl, maskedDatabaseUrl)
  const database: Database = postgres ?? { kind: 'SQLite', file: sqliteFile(dataDir) }
  const pages = Math.min(Math.max(MIN_DEFAULT_PAGES, cpus * PAGES_PER_CPU), Math.round(memoryBytes / BYTES_PER_PAGE))
  const defaultPages = String(Math.min(Math.max(1, pages), MAX_PAGES))
  const defaultWorkers = String(Math.min(cpus - 1, MAX_WORKERS))
  return {
    host: listenHost,
    /** 0 means any free port. */
    port,
    /**
     * The public origin, without a trailing slash. Null if the variable is not set and the port is 0; see
     * `publicOrigin`.
     */
    baseUrl,
    dataDir,
    database,
    /**
     * The URL of the Redis or Valkey server that holds the per-minute limits and cached results of all processes; null
     * without one.
     */
    redisUrl: read.secret('URLMETA_REDIS_URL', network.redisUrl, network.withoutCredentials),
    /** How long the server keeps serving after a stop signal, while `/readyz` responds with 503. */
    shutdownDelayMs: read.required('URLMETA_SHUTDOWN_DELAY', parse.duration('0s', '5m'), '0s'),
    /** Identity providers. If there are none, users sign in with one-time links. */
    providers: readProviders(read),
    /** In lower case. */
    adminEmails: read.optional('URLMETA_ADMIN_EMAILS', parse.listOf(parse.emailAddress)) ?? [],
    cache: {
      ttlMs: read.required('URLMETA_CACHE_TTL', parse.duration('1s', '365d'), '24h'),
      maxEntries: read.required('URLMETA_CACHE_MAX_ENTRIES', parse.wholeNumber(1, MAX_CACHE_ENTRIES), '1000000'),
    },
    plans: read.live(() => readPlans(read)),
    /** The backups that a running server makes; null for none. */
    backup: readBackup(read, database),
    upgradeUrl: read.optional('URLMETA_UPGRADE_URL', network.linkUrl),
    chromium: readChromium(read),
    headlessConcurrency: read.required('URLMETA_HEADLESS_CONCURRENCY', parse.wholeNumber(1, MAX_PAGES), defaultPages),
    fetchConcurrency: read.required('URLMETA_FETCH_CONCURRENCY', parse.wholeNumber(1, MAX_FETCHES), '256'),
    /** The number of threads that fetch pages and extract metadata; 0 uses the main thread. */
    workers: read.required('URLMETA_WORKERS', parse.wholeNumber(0, MAX_WORKERS), defaultWorkers),
    /** Private destinations that may be fetched. */
    allow: read.live(() => read.optional('URLMETA_ALLOW_PRIVATE_HOSTS', parse.listOf(network.allowRule)) ?? []),
    /** In the format of `Resolver.setServers`; null uses the system's DNS servers. */
    dnsServers: read.optional('URLMETA_DNS_SERVERS', parse.listOf(network.dnsServer)),
    /** The proxy that every fetch goes through; null connects directly. */
    egressProxy: readEgressProxy(read),
    ...read.live(() => readSites(read)),
    /** Sent with every fetch. If a site rejects the default, the fetch is retried once with a browser's User-Agent. */
    userAgent: readUserAgent(read, baseUrl),
    /**
     * The Accept-Language header of requests for pages, also from Chromium, unless the caller or a rule for the site
     * sets it.
     */
    acceptLanguage: read.required('URLMETA_ACCEPT_LANGUAGE', parse.acceptLanguage, DEFAULT_ACCEPT_LANGUAGE),
    /** Whether pages are rendered in parallel with the plain request if the host's last pages needed a browser. */
    learnsRendering: read.required('URLMETA_LEARNED_RENDERING', parse.onOff, 'on'),
    /** Whether oEmbed endpoints are requested for pages without enough metadata. */
    oembed: read.required('URLMETA_OEMBED', parse.onOff, 'on'),
    /** Proxies whose X-Forwarded-For header is trusted. */
    trustedProxies: read.optional('URLMETA_TRUSTED_PROXIES', parse.listOf(network.addressRange)) ?? [],
    corsOrigins: read.optional('URLMETA_CORS_ORIGINS', parse.listOf(network.corsOrigin)) ?? [],
    /** Whether users can share results of the playground by links that need no account. */
    sharing: read.required('URLMETA_SHARING', parse.onOff, 'on'),
    publicPlayground: read.required('URLMETA_PUBLIC_PLAYGROUND', parse.onOff, 'off'),
    /** The maximum number of requests per minute from a client address, with a key that is limited to origins. */
    browserPerMinute: read.required('URLMETA_BROWSER_PER_MINUTE', wholeNumberOf(LIMITS.perMinute), '30'),
    /** Whether responses can have signed links to images of pages, which this server fetches. */
    imageProxy: read.required('URLMETA_IMAGE_PROXY', parse.onOff, 'off'),
    /** Signs forms and links; must be the same on every process. Null uses a secret generated in the data directory. */
    secret: read.secret('URLMETA_SECRET', parse.sharedSecret),
    /** Null restricts /metrics to loopback peers. */
    metricsToken: read.secret('URLMETA_METRICS_TOKEN', parse.secret),
    logLevel: read.live(() => read.required('URLMETA_LOG', parse.oneOf(LOG_LEVELS), 'info')),
  }
}

/** The limits of every plan: `URLMETA_PLAN_<NAME>_…`. */
function readPlans(read: EnvReader): Plans {
  const readLimit = (plan: Plan, limit: LimitName) => {
    const variable = `URLMETA_PLAN_${plan.name}_${LIMITS[limit].field}`.toUpperCase()
    return read.required(variable, wholeNumberOf(LIMITS[limit]), String(plan[limit]))
  }
  return mapNames(PLAN_NAMES, (name) => {
    const plan = DEFAULT_PLANS[name]
    return { ...plan, ...mapNames(LIMIT_NAMES, (limit) => readLimit(plan, limit)) }
  })
}

const wholeNumberOf = ({ minimum, maximum }: { minimum: number; maximum: number }) =>
  parse.wholeNumber(minimum, maximum)

/** The operator's rules for sites, which override the built-in ones, and their file; null for none. */
function readSites(read: EnvReader): { sitesFile: string | null; sites: readonly SiteRule[] } {
  const sitesFile = read.optional('URLMETA_SITES', parse.path)
  const parsed = sitesFile === null ? { rules: [] } : readSitesFile(sitesFile)
  const sites = 'rules' in parsed ? parsed.rules : []
  if ('rules' in parsed) read.detail('URLMETA_SITES', sites.map(maskedRule))
  else for (const error of parsed.errors) read.addError('URLMETA_SITES', `${sitesFile}: ${error}`)
  return { sitesFile, sites }
}

function readEgressProxy(read: EnvReader): EgressProxySettings | null {
  const proxy = read.secret('URLMETA_EGRESS_PROXY', network.egressProxy, network.withoutCredentials)
  const exceptions = read.optional('URLMETA_EGRESS_PROXY_EXCEPT', parse.listOf(network.proxyException)) ?? []
  if (read.has('URLMETA_EGRESS_PROXY_EXCEPT') && !read.has('URLMETA_EGRESS_PROXY')) {
    read.addError('URLMETA_EGRESS_PROXY_EXCEPT', 'has no effect without URLMETA_EGRESS_PROXY')
  }
  return proxy === null ? null : { proxy, exceptions }
}

/**
 * The default User-Agent names this service and links to it, so that site owners can identify it. The word "bot" makes
 * sites and prerendering middleware send their metadata instead of a script (mastodon/mastodon#14248).
 */
function readUserAgent(read: EnvReader, baseUrl: string | null) {
  const page = baseUrl !== null && isPublicHost(new URL(baseUrl).hostname) ? baseUrl : PROJECT_URL
  const defaultText = `Mozilla/5.0 (compatible; urlmetabot/${VERSION}; +${page})`
  const text = read.required('URLMETA_USER_AGENT', parse.userAgent, defaultText)
  return { text, isDefault: text === defaultText }
}

function readBackup(read: EnvReader, { kind }: Database) {
  const directory = read.optional('URLMETA_BACKUP_DIR', parse.path)
  const everyMs = read.required('URLMETA_BACKUP_EVERY', parse.duration('1m', '365d'), '24h')
  const keep = read.required('URLMETA_BACKUP_KEEP', parse.wholeNumber(1, MAX_BACKUPS), '7')
  if (directory !== null && kind !== 'SQLite') {
    const advice = `back up ${kind} with ${BACKUP_PROGRAMS.backup}`
    read.addError('URLMETA_BACKUP_DIR', `has no effect with URLMETA_DATABASE_URL: ${advice}`)
  }
  return directory === null ? null : { directory, everyMs, keep }
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part)
  return Object.freeze(value)
}
