import type { Database } from 'bun:sqlite'

import { resultOfRow } from '../../core/fetch/result-cache.ts'
import { splitCacheKey } from '../../core/net/url.ts'
import type { BatchResultCache, KeyedResult } from './batched-puts.ts'
import type { Values } from './dialect.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'

interface ResultRow {
  cacheKey: string
  json: string
  storedAtMs: number
  details: string | null
}

const SELECT = 'SELECT cache_key AS cacheKey, json, stored_at AS storedAtMs, details FROM results'

/** Selects a page's results in a range of the index. The range has all variants, because no URL contains a space. */
const IS_OF_PAGE = "(cache_key = ?1 OR (cache_key >= ?1 || ' ' AND cache_key < ?1 || '!'))"

/** Stores at most `maxResults` results; the oldest are deleted first. */
export function sqliteResults(database: Database, maxResults: number): BatchResultCache {
  const find = database.query<ResultRow, string>(`${SELECT} WHERE cache_key = ?`)

  const update = database.query<unknown, Values>(
    'UPDATE results SET json = $json, stored_at = $storedAtMs, details = $details WHERE cache_key = $cacheKey',
  )

  /** Returns no row if the key already has a result. */
  const insert = database.query<unknown, Values>(`
    INSERT INTO results (cache_key, json, stored_at, details) VALUES ($cacheKey, $json, $storedAtMs, $details)
    ON CONFLICT DO NOTHING RETURNING 1`)

  const deleteOldest = database.query<unknown, number>(`
    DELETE FROM results WHERE cache_key IN (SELECT cache_key FROM results ORDER BY stored_at LIMIT ?)`)

  const sweepStep = database.query<unknown, [number, number]>(`
    DELETE FROM results WHERE cache_key IN (
      SELECT cache_key FROM results WHERE stored_at < ? OR stored_at > ? LIMIT ${STEP_ROWS})`)

  const ofPage = database.query<ResultRow, string>(`${SELECT} WHERE ${IS_OF_PAGE} ORDER BY cache_key`)
  const deleteOfPage = database.query<unknown, string>(`DELETE FROM results WHERE ${IS_OF_PAGE}`)

  // Pages that `urlmeta cache delete` has deleted, with the number of their results. The server deletes a row after
  // reading it.
  const announce = database.query<unknown, [string, number]>('INSERT INTO deleted_pages (page, results) VALUES (?, ?)')
  const anyDeletion = database.query('SELECT 1 FROM deleted_pages LIMIT 1')
  const takeDeletions = database.query<{ id: number; page: string; results: number }, []>(
    'DELETE FROM deleted_pages RETURNING id, page, results',
  )

  // Counted once, because counting a million rows is slow. While the server runs, other processes only delete pages.
  let stored = database.query<{ count: number }, []>('SELECT count(*) AS count FROM results').get()!.count
  /** The last announced deletion that `stored` includes; its id is null if there is none. */
  const lastCounted = database.query<{ id: number | null }, []>('SELECT max(id) AS id FROM deleted_pages').get()!

  /** Stores a batch, and returns by how many the number of results has grown. */
  const put = database.transaction((batch: readonly KeyedResult[]): number => {
    let inserted = 0
    for (const { details = null, ...result } of batch) {
      // Inserts first, because most results are new. A single statement that inserts or replaces does not report which
      // it did.
      if (insert.get({ ...result, details })) inserted++
      else update.run({ ...result, details })
    }
    const excess = Math.min(stored + inserted - maxResults, STEP_ROWS)
    return inserted - (excess > 0 ? deleteOldest.run(excess).changes : 0)
  })

  const deletePage = database.transaction((page: string, isAnnounced: boolean): number => {
    const { changes } = deleteOfPage.run(page)
    if (isAnnounced) announce.run(page, changes)
    return changes
  })

  return {
    async get(cacheKey) {
      const row = find.get(cacheKey)
      return row && { ...resultOfRow(row), layer: 'database' }
    },

    async putAll(batch) {
      // Counted after the transaction, whose commit fails if the disk is full.
      stored += put.immediate(batch)
    },

    count: async () => stored,

    sweep: (storedBeforeMs, storedAfterMs) =>
      inSteps(() => {
        const { changes } = sweepStep.run(storedBeforeMs, storedAfterMs)
        stored -= changes
        return changes
      }),

    variantsOf: async (page) =>
      ofPage.all(page).map((row) => ({ ...resultOfRow(row), variant: splitCacheKey(row.cacheKey).variant })),

    async deletePage(page, isAnnounced) {
      const deleted = deletePage.immediate(page, isAnnounced)
      stored -= deleted
      return deleted
    },

    async deletedPages() {
      // Reads first, because deleting takes the write lock even when there is nothing to delete.
      if (anyDeletion.get() === null) return []
      const rows = takeDeletions.all()
      for (const { id, results: deleted } of rows) if (id > (lastCounted.id ?? 0)) stored -= deleted
      return rows.map(({ page }) => page)
    },
  }
}
