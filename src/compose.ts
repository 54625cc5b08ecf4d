import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { type Config, localOrigin } from './config.ts'
import { isHeadComplete } from './core/extract/extract.ts'
import { AppError } from './core/errors.ts'
import type { FetchTrace } from './core/trace.ts'
import { createFetcher } from './fetch/fetcher.ts'
import { openapiDocument } from './http/openapi.ts'
import { createServer, type Server } from './http/server.ts'
import type { Log } from './log.ts'
import { type Accounts, createAccounts } from './service/accounts.ts'
import { createAdmission } from './service/admission.ts'
import { createLookup } from './service/lookup.ts'
import { createExtractor } from './service/extractor.ts'
import { createFlights } from './service/flights.ts'
import { createReader, type Reader, type Reading } from './service/reader.ts'
import { startSweeper } from './service/sweeper.ts'
import { memoryRateLimiter } from './store/memory/rate-limiter.ts'
import { memoryResultCache } from './store/memory/result-cache.ts'
import { openSqlite, type SqliteStores } from './store/sqlite/open.ts'
import { VERSION } from './version.ts'

const DATABASE_FILE = 'urlmeta.db'

export { openapiDocument, type Reading }

/** Everything that `urlmeta serve` needs; disposing it closes what it opened, last first. */
export interface App extends AsyncDisposable {
  http: Server
  /** The public origin, known once the server listens on a port of its own choice. */
  baseUrl: () => string
}

/** @throws AppError when the data directory or the database cannot be used */
export async function composeApp(config: Config, log: Log): Promise<App> {
  await using stack = new AsyncDisposableStack()
  const stores = stack.use(openStores(config))
  const cache = memoryResultCache(stores.results)
  const { ttlMs } = config.cache
  const now = Date.now
  stack.use(
    startSweeper({ cache, ttlMs, now, onFault: (err) => log.error({ err }, 'expired results could not be dropped') }),
  )
  const reader = stack.use(openReader(config, () => (http.server?.port ? [http.server.port] : [])))

  const baseUrl = () => config.baseUrl ?? localOrigin(http.server?.port ?? config.port)
  const http = createServer({
    admission: createAdmission({
      keys: stores.keys,
      usage: stores.usage,
      limiter: memoryRateLimiter(),
      plans: config.plans,
      now,
    }),
    lookup: createLookup({
      cache,
      read: async (url, budget) => (await reader.read(url, budget)).result,
      ttlMs,
      now,
      onStoreFault: (err) => log.error({ err }, 'a result could not be stored'),
    }),
    allow: config.allowPrivateHosts,
    ping: stores.ping,
    onNotReady: (err) => log.error({ err }, 'the database does not answer'),
    baseUrl,
    version: VERSION,
    openapi: () => openapiDocument(baseUrl()),
    newId: () => Bun.randomUUIDv7(),
    onRequestEnd: (observation) => log.info({ ...observation }, 'request'),
    onInternalError: (err, id) => log.error({ err, id }, 'internal error'),
  })

  const owned = stack.move()
  return { http, baseUrl, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/**
 * Accounts without a server; works while a server runs on the same data.
 * @throws AppError when the data directory or the database cannot be used
 */
export function composeAccounts(config: Config): { accounts: Accounts } & Disposable {
  const stores = openStores(config)
  const accounts = createAccounts({
    users: stores.users,
    keys: stores.keys,
    plans: config.plans,
    now: Date.now,
    newId: () => Bun.randomUUIDv7(),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  })
  return { accounts, [Symbol.dispose]: () => stores[Symbol.dispose]() }
}

/** Reads pages without server, key or database. */
export function composePages(config: Config): Pages {
  const reader = openReader(config, () => [])
  const flights = createFlights<Reading>()
  return {
    read: (url, timeoutMs, trace) =>
      flights.join(null, { timeoutMs, gone: new AbortController().signal }, (budget) =>
        reader.read(url, budget, trace),
      ),
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}

export interface Pages extends AsyncDisposable {
  /** @throws FetchError, with the reason `timed out after <timeoutMs> ms` at the latest then */
  read(url: URL, timeoutMs: number, trace?: FetchTrace): Promise<Reading>
}

function openReader(config: Config, ownPorts: () => readonly number[]): Reader & AsyncDisposable {
  const extractor = createExtractor()
  const fetcher = createFetcher({
    allow: config.allowPrivateHosts,
    dnsServers: config.dnsServers,
    userAgent: config.userAgent.text,
    retriesAsBrowser: config.userAgent.isOurs,
    concurrency: config.fetchConcurrency,
    isHeadComplete,
    refreshOf: extractor.refreshOf,
    ownPorts,
  })
  const reader = createReader({ fetcher, extractor, now: Date.now })
  return { ...reader, [Symbol.asyncDispose]: () => fetcher[Symbol.asyncDispose]() }
}

function openStores({ dataDir, cache }: Config): SqliteStores {
  try {
    // 0700: keys are hashed, but who looks at which pages is nobody else's business.
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    return openSqlite(join(dataDir, DATABASE_FILE), { maxResults: cache.maxEntries })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('internal', `Cannot use the database in ${dataDir} (URLMETA_DATA_DIR): ${reason}`, { cause })
  }
}
