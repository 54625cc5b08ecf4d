// Fills the database and the cache of an installation by SQL, because requests would take hours.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'

export const RESULTS = 1_000_000
export const USERS = 50_000
export const KEYS = 100_000
/** Months of usage: one row per key and month, and one per day for each key of the measured user. */
export const USER_MONTHS = 12
const DAYS = 365
const AUDIT_ENTRIES = 100_000
const LOGGED_REQUESTS = 100_000

const JSON_TEXT = JSON.stringify({ title: 'A page', description: 'x'.repeat(800) })
const DETAILS_TEXT = JSON.stringify({ sources: {}, trace: { hops: [] }, note: 'x'.repeat(1_400) })

const DAY_MS = 24 * 60 * 60_000

/** A table `numbers` with `n` from 1 to `count`. */
const numbers = (count: number) =>
  `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`

/** Adds rows of other users, and a year of daily usage for each key of `email`. No server may be running. */
export function fillDatabase(dir: string, email: string) {
  using db = openFast(join(dir, 'data', 'urlmeta.db'))
  const nowMs = Date.now()
  const run = (statement: string, ...parameters: (string | number)[]) => db.query(statement).run(...parameters)
  const day = (daysAgo: string) => `strftime('%Y-%m-%d', ${nowMs} / 1000 - (${daysAgo}) * 86400, 'unixepoch')`
  db.transaction(() => {
    run(`${numbers(USERS)} INSERT INTO users (id, email, plan, created_at, search_text, logs_urls)
      SELECT 'user' || n, 'user' || n || '@example.org', 'free', ${nowMs} - n, 'user' || n || '@example.org' || char(10), 0
      FROM numbers`)
    run(`${numbers(KEYS)} INSERT INTO api_keys
        (id, user_id, name, hash, last_four, created_at, allowed_hosts, allowed_addresses)
      SELECT 'key' || n, 'user' || (1 + n % ${USERS}), 'Key ' || n, 'hash' || n, '0000', ${nowMs} - n, '[]', '[]' FROM numbers`)
    run(`${numbers(USER_MONTHS)} INSERT INTO monthly_usage (user_id, month, used)
      SELECT users.id, substr(${day('30 * n')}, 1, 7), 30 FROM numbers, users WHERE true ON CONFLICT DO NOTHING`)
    run(`${numbers(USER_MONTHS)} INSERT INTO daily_usage (user_id, key_id, day, successes, cache_hits, failures, last_used_at)
      SELECT user_id, id, ${day('30 * n')}, 20, 10, 1, ${nowMs} - n * 30 * ${DAY_MS}
      FROM numbers, api_keys WHERE id GLOB 'key*'`)
    run(
      `${numbers(DAYS)} INSERT INTO daily_usage (user_id, key_id, day, successes, cache_hits, failures, last_used_at)
      SELECT user_id, api_keys.id, ${day('n')}, 20, 10, 1, ${nowMs} - n * ${DAY_MS}
      FROM numbers, api_keys JOIN users ON users.id = user_id WHERE email = ?`,
      email,
    )
    run(`${numbers(AUDIT_ENTRIES)} INSERT INTO audit_log (id, at, action, user_id, email, detail)
      SELECT 'entry' || n, ${nowMs} - n * 1000, 'key_created', 'user' || (1 + n % ${USERS}), 'a@example.org', '' FROM numbers`)
    run(`${numbers(LOGGED_REQUESTS)} INSERT INTO request_log
        (user_id, key_id, request_id, at, method, status, reason, latency_ms)
      SELECT 'user' || (1 + n % ${USERS}), 'key1', 'request' || n, ${nowMs} - n, 'GET', 200, 'ok', 1 FROM numbers`)
  })()
}

/** Adds results of the age `ageMs` to the cache. No server may be running. */
export function fillCache(dir: string, ageMs: number) {
  using cache = openFast(cachePathOf(dir))
  cache
    .query(
      `${numbers(RESULTS)} INSERT INTO results (cache_key, json, stored_at, details)
      SELECT 'https://example.org/' || n, ?, ${Date.now() - ageMs} - n, ? FROM numbers`,
    )
    .run(JSON_TEXT, DETAILS_TEXT)
  writeBack()
}

/** Makes all cached results older by `ageMs`. No server may be running. */
export function ageCache(dir: string, ageMs: number) {
  using cache = openFast(cachePathOf(dir))
  cache.query(`UPDATE results SET stored_at = stored_at - ?`).run(ageMs)
  writeBack()
}

/** Writes gigabytes of cached pages to the disk now; the server would otherwise wait for them at its first sync. */
function writeBack() {
  Bun.spawnSync(['sync'])
}

const cachePathOf = (dir: string) => join(dir, 'data', 'urlmeta-cache.db')

function openFast(path: string): Database {
  const db = new Database(path)
  db.run('PRAGMA synchronous = OFF')
  return db
}
