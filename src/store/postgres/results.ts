import { createHash } from 'node:crypto'

import { asc, count, eq, gt, inArray, lt, or } from 'drizzle-orm'

import type { ResultCache, StoredResult } from '../../core/ports.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import { isAmong } from './is-among.ts'
import { results, type Drizzle } from './schema.ts'

export interface PostgresResults extends Omit<ResultCache, 'get'> {
  /** The stored results among these cache keys. */
  getAll(cacheKeys: readonly string[]): Promise<ReadonlyMap<string, StoredResult>>
}

/**
 * Keeps about `maxResults` results; the ones stored longest ago go first. Each process counts all results when it starts
 * and after each sweep, and its own in between, since counting a million rows takes a while: until the next sweep, the
 * table can exceed the limit by what the other processes have stored meanwhile.
 */
export function postgresResults(db: Drizzle, maxResults: number): PostgresResults {
  const { keyHash, storedAtMs } = results
  let stored = 0
  let counting: Promise<void> | null = null

  async function countRows() {
    const [counted] = await db.select({ count: count() }).from(results)
    stored = counted!.count
  }

  /** Counts the table once; again after a failure. */
  function ensureCounted(): Promise<void> {
    counting ??= countRows().catch((error: unknown) => {
      counting = null
      throw error
    })
    return counting
  }

  return {
    async getAll(cacheKeys) {
      const byHash = new Map(cacheKeys.map((cacheKey) => [hashOf(cacheKey), cacheKey]))
      const rows = await db
        .select()
        .from(results)
        .where(isAmong(keyHash, [...byHash.keys()]))
      return new Map(
        rows.map(({ keyHash: hash, details, ...result }) => [
          byHash.get(hash)!,
          { ...result, ...(details !== null && { details }) },
        ]),
      )
    },

    async put(cacheKey, { details = null, ...rest }) {
      const result = { ...rest, details }
      await ensureCounted()
      const hash = hashOf(cacheKey)
      const replaced = await db.update(results).set(result).where(eq(keyHash, hash)).returning({ keyHash })
      if (replaced.length > 0) return
      await db
        .insert(results)
        .values({ keyHash: hash, ...result })
        .onConflictDoUpdate({ target: keyHash, set: result })
      stored++
      const excess = Math.min(stored - maxResults, STEP_ROWS)
      if (excess <= 0) return
      const oldest = db.select({ keyHash }).from(results).orderBy(asc(storedAtMs)).limit(excess)
      stored -= (await db.delete(results).where(inArray(keyHash, oldest)).returning({ keyHash })).length
    },

    async count() {
      await ensureCounted()
      return stored
    },

    async sweep(storedBeforeMs, storedAfterMs) {
      const isOld = lt(storedAtMs, storedBeforeMs)
      const isSwept = storedAfterMs === undefined ? isOld : or(isOld, gt(storedAtMs, storedAfterMs))
      const swept = db.select({ keyHash }).from(results).where(isSwept).limit(STEP_ROWS)
      const deleted = await inSteps(() => db.delete(results).where(inArray(keyHash, swept)).returning({ keyHash }))
      counting = null
      return deleted
    },
  }
}

function hashOf(cacheKey: string): string {
  return createHash('sha256').update(cacheKey).digest('hex')
}
