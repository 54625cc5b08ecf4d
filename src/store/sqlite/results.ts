import { asc, count, eq, inArray, lt, sql } from 'drizzle-orm'

import type { ResultCache } from '../../core/ports.ts'
import { results, type Drizzle } from './schema.ts'

/**
 * Rows deleted in one statement, which no request can be answered during. Their places in the table are random, so each
 * row is three pages to write: 10 rows take 0.3 ms, and 500 took more than 20 ms.
 */
const SWEEP_BATCH = 10

/** Between two of them, in milliseconds: requests go first, and a million rows take some minutes. */
const SWEEP_PAUSE_MS = 1

/** Stores at most `maxResults` results; the oldest are deleted first. */
export function sqliteResults(db: Drizzle, maxResults: number): ResultCache {
  const find = db
    .select({ json: results.json, storedAtMs: results.storedAtMs })
    .from(results)
    .where(eq(results.cacheKey, sql.placeholder('cacheKey')))
    .prepare()

  const update = db
    .update(results)
    .set({ json: sql`${sql.placeholder('json')}`, storedAtMs: sql`${sql.placeholder('storedAtMs')}` })
    .where(eq(results.cacheKey, sql.placeholder('cacheKey')))
    .returning({ cacheKey: results.cacheKey })
    .prepare()

  const insert = db
    .insert(results)
    .values({
      cacheKey: sql.placeholder('cacheKey'),
      json: sql.placeholder('json'),
      storedAtMs: sql.placeholder('storedAtMs'),
    })
    .prepare()

  const deleteOldest = (howMany: number) =>
    db
      .delete(results)
      .where(
        inArray(
          results.cacheKey,
          db.select({ cacheKey: results.cacheKey }).from(results).orderBy(asc(results.storedAtMs)).limit(howMany),
        ),
      )
      .returning({ cacheKey: results.cacheKey })
      .all().length

  // Counting a million rows takes milliseconds, so the count is cached. Results stored by another process are
  // counted at the next sweep.
  const countAll = () => db.select({ count: count() }).from(results).get()!.count
  let stored = countAll()

  return {
    async get(cacheKey) {
      return find.get({ cacheKey }) ?? null
    },

    async put(cacheKey, result) {
      db.transaction(
        () => {
          if (update.get({ cacheKey, ...result })) return
          insert.run({ cacheKey, ...result })
          stored++
          if (stored > maxResults) stored -= deleteOldest(Math.min(stored - maxResults, SWEEP_BATCH))
        },
        { behavior: 'immediate' },
      )
    },

    async count() {
      return stored
    },

    async sweep(storedBeforeMs) {
      let dropped = 0
      for (;;) {
        const batch = db
          .delete(results)
          .where(
            inArray(
              results.cacheKey,
              db
                .select({ cacheKey: results.cacheKey })
                .from(results)
                .where(lt(results.storedAtMs, storedBeforeMs))
                .limit(SWEEP_BATCH),
            ),
          )
          .returning({ cacheKey: results.cacheKey })
          .all().length
        dropped += batch
        if (batch < SWEEP_BATCH) {
          stored = countAll()
          return dropped
        }
        await Bun.sleep(SWEEP_PAUSE_MS)
      }
    },
  }
}
