import { SQL } from 'bun'
import { join } from 'node:path'

import { dayOf } from '../../src/core/period.ts'
import { type Browser, createBrowser, type Visited } from '../http/browser.ts'
import { startApp, type TestApp } from '../http/app.ts'

export const OPERATOR = 'op@example.com'

/** Differ between two servers, or between two runs of one. */
const IGNORED_HEADERS: ReadonlySet<string> = new Set(['date', 'content-length', 'x-request-id', 'server-timing'])

/** Ids, keys, tokens and signatures. */
const RANDOM = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|urlmeta_live_[\da-f]{32}|[\w-]{43,}/g

/** The last four characters of a key. */
const LAST_FOUR = /(?<=…|last_?four": ?")[\da-f]{4}/gi

/** Durations, such as `1,234 ms`, which can follow the label `p95` without a space. */
const MILLISECONDS =
  /(?:&lt;|<)?(?<!p9?)(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?= ms)|(?<="(?:response_time|latency)_ms": ?)\d+/g
/** Times until the end of a minute, which Redis computes by its own clock. */
const SECONDS_OF_MINUTE = /(?<="minute";r=\d+;t=|ratelimit-reset: |retry-after: |Retry in )\d+/g

/** Times of workers, whose clock cannot be set; the clock of the test is in another year. */
const WORKER_TIMES = new RegExp(`${new Date().getFullYear()}-\\d\\d-\\d\\dT[\\d:.]+Z`, 'g')

/** One of the compared servers, and what its clients remember. */
export interface Side extends AsyncDisposable {
  app: TestApp
  /** The origin of the pages to fetch. */
  site: string
  /** All keys so far, in the order in which they were created, with the address of their user. */
  keys: Map<string, string>
  /** The browser of a person, signed in or not. */
  browser(email: string): Browser
  /** The requests that users see in their logs. */
  requests: { email: string; id: string }[]
  /** The rejected requests of each key that has ended, by its id, by its id and the hour, and by its id and the day. */
  rejected: Map<string, number>
  /** The failures of each key before it ended, by its id and the day. */
  failed: Map<string, number>
  /** The failures of a key in the charts, on the current day. */
  failures(keyId: string): Promise<number>
  /** Replaces random values by the order in which they first appeared. */
  stable(text: string): string
  /** The parts of a response that a client sees. */
  seen(response: { status: number; headers: Headers }, body: string): unknown
}

export interface SideOptions {
  env: Record<string, string>
  /** The origin of the pages to fetch. */
  site: string
}

export async function openSide({ env, site }: SideOptions): Promise<Side> {
  const app = await startApp({
    env: {
      URLMETA_ADMIN_EMAILS: OPERATOR,
      // Each person has an own address.
      URLMETA_TRUSTED_PROXIES: '127.0.0.1, ::1',
      ...env,
    },
  })
  const sql = new SQL({ url: env['URLMETA_DATABASE_URL'] ?? `sqlite://${join(app.dataDir, 'urlmeta.db')}`, max: 1 })
  const base = app.url.replace('127.0.0.1', 'localhost')
  const browsers = new Map<string, Browser>()
  const names = new Map<string, string>()
  const nameOf = (value: string) => {
    const name = names.get(value) ?? `[${names.size}]`
    names.set(value, name)
    return name
  }
  const stable = (text: string) =>
    text
      .replaceAll(base, '[base]')
      .replaceAll(encodeURIComponent(base), '[base]')
      .replaceAll(app.url, '[base]')
      .replace(RANDOM, nameOf)
      .replace(LAST_FOUR, '[last four]')
      .replace(MILLISECONDS, '[ms]')
      .replace(SECONDS_OF_MINUTE, '[seconds]')
      .replace(WORKER_TIMES, '[time]')
  return {
    app,
    site,
    keys: new Map(),
    requests: [],
    rejected: new Map(),
    failed: new Map(),
    async failures(keyId) {
      const day = dayOf(Date.now())
      const [row] = await sql`SELECT failures FROM daily_usage WHERE key_id = ${keyId} AND day = ${day}`
      return Number(row?.failures ?? 0)
    },
    stable,
    browser(email) {
      const browser = browsers.get(email) ?? createBrowser(base, `10.1.0.${browsers.size + 1}`)
      browsers.set(email, browser)
      return browser
    },
    seen({ status, headers }, body) {
      const shown = [...headers].filter(([name]) => !IGNORED_HEADERS.has(name)).map((field) => stable(field.join(': ')))
      return { status, headers: shown, body: stable(body).replaceAll('><', '>\n<') }
    },
    async [Symbol.asyncDispose]() {
      await sql.close()
      await app[Symbol.asyncDispose]()
    },
  }
}

/** The latest requests of a key: concurrent ones end in any order. */
const LATEST_REQUESTS = /<section [^>]*aria-labelledby="latest">.*?<\/section>/s

/** When a session was last used, which is written after the response. */
const LAST_ACTIVE = /(?<=last active )<time .*?<\/time>/gs

/** The parts of a page that a browser shows. */
export function seenPage(side: Side, { url, status, headers, body }: Visited): unknown {
  const seen = side.seen({ status, headers }, body.replace(LATEST_REQUESTS, '').replace(LAST_ACTIVE, '[time]'))
  return { path: side.stable(url.pathname + url.search), ...(seen as object) }
}
