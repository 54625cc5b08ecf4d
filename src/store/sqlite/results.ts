import { and, asc, count, eq, gt, gte, inArray, lt, max, or, sql } from 'drizzle-orm'

import { resultOfRow } from '../../core/fetch/result-cache.ts'
import type { BatchResultCache, KeyedResult } from './batched-puts.ts'
import { CACHE_TABLES, deletedPages } from './cache-schema.ts'
import { splitCacheKey } from '../../core/net/url.ts'
import { compilerOf, type DrizzleDatabase } from './compiled.ts'
import { inTransaction, placeholders } from './dialect.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'

const { results } = CACHE_TABLES

/** Selects a page's results in a range of the index. The range has all variants, because no URL contains a space. */
const isOfPage = (page: string) =>
  or(eq(results.cacheKey, page), and(gte(results.cacheKey, `${page} `), lt(results.cacheKey, `${page}!`)))

/** Stores at most `maxResults` results; the oldest are deleted first. */
export function sqliteResults(db: DrizzleDatabase, maxResults: number): BatchResultCache {
  const isOfKey = eq(results.cacheKey, sql.placeholder('cacheKey'))
  const { json, storedAtMs, details } = results
  const compiled = compilerOf(db)
  const find = compiled<{ json: string; stored_at: number; details: string | null }>(
    db.select({ json, storedAtMs, details }).from(results).where(isOfKey),
  )

  const update = compiled(
    db
      .update(results)
      .set({
        json: sql`${sql.placeholder('json')}`,
        storedAtMs: sql`${sql.placeholder('storedAtMs')}`,
        details: sql`${sql.placeholder('details')}`,
      })
      .where(isOfKey),
  )

  /** Returns no row if the key already has a result. */
  const insert = compiled(
    db
      .insert(results)
      .values(placeholders('cacheKey', 'json', 'storedAtMs', 'details'))
      .onConflictDoNothing()
      .returning({ storedAtMs }),
  )

  const anyDeletion = db.select({ id: deletedPages.id }).from(deletedPages).limit(1).prepare()

  function deleteOldest(howMany: number): number {
    const { cacheKey } = results
    const oldest = db.select({ cacheKey }).from(results).orderBy(asc(storedAtMs)).limit(howMany)
    return db.delete(results).where(inArray(cacheKey, oldest)).returning({ cacheKey }).all().length
  }

  // Counted once, because counting a million rows is slow. While the server runs, other processes only delete pages.
  let stored = db.select({ count: count() }).from(results).get()!.count
  /** The id of the last announced deletion that `stored` includes; null if there is none. */
  const { countedDeletion } = db
    .select({ countedDeletion: max(deletedPages.id) })
    .from(deletedPages)
    .get()!

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
    async get(cacheKey) {
      const row = find.get({ cacheKey })
      return row && { ...resultOfRow({ ...row, storedAtMs: row.stored_at }), layer: 'database' }
    },

    async putAll(batch) {
      // Counted after the transaction, whose commit fails if the disk is full.
      stored += put.immediate(batch)
    },

    count: async () => stored,

    async sweep(storedBeforeMs, storedAfterMs) {
      const isSwept = or(lt(results.storedAtMs, storedBeforeMs), gt(results.storedAtMs, storedAfterMs))
      const swept = db.select({ cacheKey: results.cacheKey }).from(results).where(isSwept).limit(STEP_ROWS)
      return inSteps(() => {
        const rows = db.delete(results).where(inArray(results.cacheKey, swept)).returning({ key: results.cacheKey })
        const dropped = rows.all().length
        stored -= dropped
        return dropped
      })
    },

    async variantsOf(page) {
      const rows = db.select().from(results).where(isOfPage(page)).orderBy(asc(results.cacheKey)).all()
      return rows.map((row) => ({ ...resultOfRow(row), variant: splitCacheKey(row.cacheKey).variant }))
    },

    async deletePage(page, announce) {
      const deleted = inTransaction(db, () => {
        const { length } = db.delete(results).where(isOfPage(page)).returning({ key: results.cacheKey }).all()
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
      for (const { id, results: deleted } of rows) if (id > (countedDeletion ?? 0)) stored -= deleted
      return rows.map(({ page }) => page)
    },
  }
}
