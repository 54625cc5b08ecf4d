import { and, asc, eq, gt, gte, inArray, lt, or, sql } from 'drizzle-orm'

import { MINUTE_MS } from '../../core/duration.ts'
import { type FoundResult, hashedCacheKey, resultOfRow, type StoredResult } from '../../core/fetch/result-cache.ts'
import { splitCacheKey } from '../../core/net/url.ts'
import { StoreError } from '../../core/store-fault.ts'
import type { Dialect } from '../sql/dialect.ts'
import { isAmong, STEP_ROWS } from './dialect.ts'
import type { Drizzle, tables as allTables } from './schema.ts'

/**
 * The timeout of counting, in milliseconds. Counting reads one index entry per result, which takes seconds for a
 * million entries that are not in memory.
 */
const COUNT_TIMEOUT_MS = MINUTE_MS

/**
 * How long a call waits for the count, in milliseconds. Until the count is known, results are stored and none are
 * deleted.
 */
const COUNT_WAIT_MS = 500

/**
 * Stores about `maxResults` results; the oldest are deleted first. Counting a million rows is slow, so each process counts
 * the table when it starts and after each sweep, and only its own writes in between. Until the next sweep, the table can
 * exceed the limit by the results that other processes have stored.
 */
export function postgresResults(postgres: Drizzle, dialect: Dialect<typeof allTables>, maxResults: number) {
  const { db, tables, sweep } = dialect
  const { results } = tables
  const { keyHash, storedAtMs } = results

  /** The two comparisons can use the index in every collation: `g` sorts after every hexadecimal digit. */
  function isOfPage(page: string) {
    const hash = hashedCacheKey(page, 'hex')
    return and(gte(keyHash, hash), lt(keyHash, `${hash.slice(0, -1)}g`), sql`starts_with(${keyHash}, ${hash})`)
  }

  /** Null until the table is counted. */
  let stored: number | null = null
  let counting: Promise<void> | null = null

  /** Counts the table; the next call counts it again after a failure. */
  async function countRows() {
    try {
      stored = await postgres.transaction(async (tx) => {
        await tx.execute(sql.raw(`SET LOCAL statement_timeout = ${COUNT_TIMEOUT_MS}`))
        const [counted] = await tx.execute<{ count: string }>(sql`SELECT count(*) FROM results`)
        return Number(counted!.count)
      })
    } catch (error) {
      counting = null
      throw error
    }
  }

  async function waitForCount() {
    if (stored === null) await Promise.race([(counting ??= countRows()), Bun.sleep(COUNT_WAIT_MS)])
  }

  return {
    /** Omits cache keys without a stored result. */
    async getAll(cacheKeys: readonly string[]): Promise<ReadonlyMap<string, FoundResult>> {
      const byHash = new Map(cacheKeys.map((cacheKey) => [hashedCacheKey(cacheKey, 'hex'), cacheKey]))
      const isWanted = isAmong(keyHash, [...byHash.keys()])
      const rows = await db.select().from(results).where(isWanted)
      return new Map(rows.map((row) => [byHash.get(row.keyHash)!, { ...resultOfRow(row), layer: 'database' }]))
    },

    async put(cacheKey: string, { details, ...rest }: StoredResult) {
      const result = { ...rest, details: details ?? null }
      // `count` reports the failure; the next call counts again.
      await waitForCount().catch(() => {})
      const hash = hashedCacheKey(cacheKey, 'hex')
      const replaced = await db.update(results).set(result).where(eq(keyHash, hash)).returning({ keyHash })
      if (replaced.length > 0) return
      const row = { keyHash: hash, ...result }
      await db.insert(results).values(row).onConflictDoUpdate({ target: keyHash, set: result })
      if (stored === null) return
      stored++
      const excess = Math.min(stored - maxResults, STEP_ROWS)
      if (excess <= 0) return
      const oldest = db.select({ keyHash }).from(results).orderBy(asc(storedAtMs)).limit(excess)
      const deleted = await db.delete(results).where(inArray(keyHash, oldest)).returning({ keyHash })
      if (stored !== null) stored -= deleted.length
    },

    async count() {
      await waitForCount()
      if (stored === null) throw new StoreError('timed_out', { cause: new Error('the results are being counted') })
      return stored
    },

    async sweep(storedBeforeMs: number, storedAfterMs: number) {
      const deleted = await sweep(results, or(lt(storedAtMs, storedBeforeMs), gt(storedAtMs, storedAfterMs)))
      stored = null
      counting = null
      return deleted
    },

    async variantsOf(page: string) {
      const rows = await db.select().from(results).where(isOfPage(page)).orderBy(asc(keyHash))
      return rows.map((row) => ({ ...resultOfRow(row), variant: splitCacheKey(row.keyHash).variant }))
    },

    /**
     * Deletions are not announced, because no process keeps results in memory. Fetches in progress still store their
     * results.
     */
    async deletePage(page: string) {
      const deleted = await db.delete(results).where(isOfPage(page)).returning({ storedAtMs })
      if (stored !== null) stored -= deleted.length
      return deleted.length
    },

    deletedPages: async () => [],
  }
}
