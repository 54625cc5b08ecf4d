import { and, asc, count, eq, gt, gte, inArray, lt, or } from 'drizzle-orm'

import { resultOfRow } from '../../core/fetch/result-cache.ts'
import type { BatchResultCache, KeyedResult } from './batched-puts.ts'
import { CACHE_TABLES, deletedPages } from './cache-schema.ts'
import { splitCacheKey } from '../../core/net/url.ts'
import { type DrizzleDatabase, inTransaction, type Values } from './dialect.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'

const { results } = CACHE_TABLES

/** Selects a page's results in a range of the index. The range has all variants, because no URL contains a space. */
const isOfPage = (page: string) =>
  or(eq(results.cacheKey, page), and(gte(results.cacheKey, `${page} `), lt(results.cacheKey, `${page}!`)))

/** Stores at most `maxResults` results; the oldest are deleted first. */
export function sqliteResults(db: DrizzleDatabase, maxResults: number): BatchResultCache {
  const { cacheKey, storedAtMs } = results
  const find = db.$client.query<{ json: string; storedAtMs: number; details: string | null }, string>(
    'SELECT json, stored_at AS storedAtMs, details FROM results WHERE cache_key = ?',
  )

  const update = db.$client.query<unknown, Values>(
    'UPDATE results SET json = $json, stored_at = $storedAtMs, details = $details WHERE cache_key = $cacheKey',
  )

  /** Returns no row if the key already has a result. */
  const insert = db.$client.query<unknown, Values>(`
    INSERT INTO results (cache_key, json, stored_at, details) VALUES ($cacheKey, $json, $storedAtMs, $details)
    ON CONFLICT DO NOTHING RETURNING 1`)

  const anyDeletion = db.select({ id: deletedPages.id }).from(deletedPages).limit(1).prepare()

  function deleteOldest(howMany: number): number {
    const oldest = db.select({ cacheKey }).from(results).orderBy(asc(storedAtMs)).limit(howMany)
    return db.delete(results).where(inArray(cacheKey, oldest)).returning({ cacheKey }).all().length
  }

  // Counted once, because counting a million rows is slow. While the server runs, other processes only delete pages.
  let stored = db.select({ count: count() }).from(results).get()!.count
  /** The last announced deletion that `stored` includes; its id is null if there is none. */
  const lastCounted = db.$client.query<{ id: number | null }, []>('SELECT max(id) AS id FROM deleted_pages').get()!

  /** Stores a batch, and returns by how many the number of results has grown. */
  const put = db.$client.transaction((batch: readonly KeyedResult[]): number => {
    let inserted = 0
    for (const { details: ofResult = null, ...result } of batch) {
      const row = { ...result, details: ofResult }
      // Inserts first, because most results are new. A single statement that inserts or replaces does not report which
      // it did.
      if (insert.get(row)) inserted++
      else update.run(row)
    }
    const excess = Math.min(stored + inserted - maxResults, STEP_ROWS)
    return inserted - (excess > 0 ? deleteOldest(excess) : 0)
  })

  return {
    async get(key) {
      const row = find.get(key)
      return row && { ...resultOfRow(row), layer: 'database' }
    },

    async putAll(batch) {
      // Counted after the transaction, whose commit fails if the disk is full.
      stored += put.immediate(batch)
    },

    count: async () => stored,

    async sweep(storedBeforeMs, storedAfterMs) {
      const isSwept = or(lt(storedAtMs, storedBeforeMs), gt(storedAtMs, storedAfterMs))
      const swept = db.select({ cacheKey }).from(results).where(isSwept).limit(STEP_ROWS)
      return inSteps(() => {
        const dropped = db.delete(results).where(inArray(cacheKey, swept)).returning({ cacheKey }).all().length
        stored -= dropped
        return dropped
      })
    },

    async variantsOf(page) {
      const rows = db.select().from(results).where(isOfPage(page)).orderBy(asc(cacheKey)).all()
      return rows.map((row) => ({ ...resultOfRow(row), variant: splitCacheKey(row.cacheKey).variant }))
    },

    async deletePage(page, announce) {
      const deleted = inTransaction(db, () => {
        const { length } = db.delete(results).where(isOfPage(page)).returning({ cacheKey }).all()
        if (announce) db.insert(deletedPages).values({ page, results: length }).run()
        return length
      })
      stored -= deleted
      return deleted
    },

    async deletedPages() {
      // Reads first, because deleting takes the write lock even when there is nothing to delete.
      if (anyDeletion.get() === undefined) return []
      const rows = db.delete(deletedPages).returning().all()
      for (const { id, results: deleted } of rows) if (id > (lastCounted.id ?? 0)) stored -= deleted
      return rows.map(({ page }) => page)
    },
  }
}
