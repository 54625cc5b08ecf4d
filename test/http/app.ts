import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { composeApp } from '../../src/compose.ts'
import { composeAccounts } from '../../src/compose/accounts.ts'
import { parseConfig } from '../../src/config.ts'
import type { KeySettings } from '../../src/core/accounts/key-settings.ts'
import { createLog } from '../../src/log.ts'
import type { CommandLineAccounts } from '../../src/service/accounts/command-line-accounts.ts'
import { PATIENT_RESPONSE_MS, PATIENT_REDIS_MS } from '../patience.ts'

/** A response body, as JSON. */
export type Body = Record<string, unknown>

/** A line of the log, parsed. */
export type LogLine = Record<string, unknown>

/** How long to wait for a log line, in milliseconds. On a busy machine, a backup with low priority takes many seconds. */
const LOG_DEADLINE_MS = 25_000

/** The real service on a loopback port with its own database, and an origin that it may fetch from. */
export interface TestApp extends AsyncDisposable {
  /** Where the service listens, without trailing slash. */
  url: string
  /** Where the origin listens, without trailing slash. */
  origin: string
  /** How often each path of the origin was requested. */
  requestCounts: Map<string, number>
  dataDir: string
  /** All routes of the service, with their patterns. */
  routes: readonly { method: string; path: string }[]
  /** Applies other variables, as SIGHUP does. */
  reload(env: Record<string, string>): void
  /** Makes `/readyz` return 503, as a stop signal does. */
  announceStop(): void
  /** The lines of the log so far, parsed. */
  log: LogLine[]
  /** Waits for the first log line with these fields. */
  logged(fields: LogLine): Promise<LogLine>
  /** The account management of the command line, on the same data. */
  accounts: CommandLineAccounts
  createKey(email?: string, settings?: Partial<KeySettings>): Promise<string>
  /** Requests `/v1/metadata` for a path of the origin. */
  metadata(key: string, path: string, parameters?: Record<string, string>): Promise<Response>
}

export interface TestAppOptions {
  env?: Record<string, string>
  /** The response of the origin. */
  origin?: (request: Request) => Response | Promise<Response>
  /** The URL of the entry point of workers, instead of the usual one. */
  workerEntry?: string
  /** The timeout of a Redis command, in milliseconds. */
  redisDeadlineMs?: number | undefined
}

const PAGE = '<!doctype html><title>A page</title><link rel="icon" href="/icon.png">'
const defaultOrigin = () => new Response(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8' } })

export async function startApp({
  env = {},
  origin: respond = defaultOrigin,
  workerEntry,
  redisDeadlineMs = PATIENT_REDIS_MS,
}: TestAppOptions = {}): Promise<TestApp> {
  await using stack = new AsyncDisposableStack()
  const requestCounts = new Map<string, number>()
  const origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      requestCounts.set(pathname, (requestCounts.get(pathname) ?? 0) + 1)
      return respond(request)
    },
  })
  stack.defer(() => origin.stop(true))

  const dataDir = mkdtempSync(join(tmpdir(), 'urlmeta-test-'))
  stack.defer(() => rmSync(dataDir, { recursive: true }))
  const configOf = (changed: Record<string, string> = {}) => {
    const parsed = parseConfig({
      URLMETA_PORT: '0',
      // Results must not depend on whether this machine has a browser.
      URLMETA_CHROMIUM: 'off',
      URLMETA_WORKERS: process.env['TEST_WORKERS'] ?? '0',
      URLMETA_DATA_DIR: dataDir,
      URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}`,
      ...env,
      ...changed,
    })
    if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
    return parsed
  }
  const parsed = configOf()

  const log: LogLine[] = []
  const sink = { write: (line: string) => void log.push(JSON.parse(line)) }
  const overrides = { workerEntry, redisDeadlineMs, browserResponseMs: PATIENT_RESPONSE_MS }
  const app = stack.use(await composeApp(parsed, createLog({ level: 'debug', destination: sink }), overrides))
  app.http.listen({ hostname: '127.0.0.1', port: 0 })
  stack.defer(async () => void (await app.http.stop(true)))
  const url = `http://127.0.0.1:${app.http.server!.port}`

  async function logged(fields: LogLine): Promise<LogLine> {
    const deadlineMs = performance.now() + LOG_DEADLINE_MS
    for (;;) {
      const found = log.find((line) => Object.entries(fields).every(([name, value]) => line[name] === value))
      if (found !== undefined) return found
      if (performance.now() > deadlineMs)
        throw new Error(`No line has ${JSON.stringify(fields)}: ${JSON.stringify(log)}`)
      await Bun.sleep(1)
    }
  }

  const { accounts } = stack.use(await composeAccounts(parsed.config))
  const owned = stack.move()
  return {
    url,
    origin: `http://127.0.0.1:${origin.port}`,
    requestCounts,
    dataDir,
    routes: app.http.routes,
    reload(changed) {
      app.reload(configOf(changed))
    },
    announceStop: app.announceStop,
    log,
    logged,
    accounts,
    createKey: async (email = 'jo@example.com', settings = {}) =>
      (await accounts.createKey({ email, ...settings })).key,
    metadata(key, path, parameters = {}) {
      const query = new URLSearchParams({ url: `http://127.0.0.1:${origin.port}${path}`, ...parameters })
      return fetch(`${url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
