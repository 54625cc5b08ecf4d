import { and, count, desc, eq, getTableColumns, gt, isNull, lte } from 'drizzle-orm'

import type { SharedResults } from '../../core/saved-results/ports.ts'
import { type Dialect, firstRow, hasRows, run } from './dialect.ts'
import type { AccountTables } from './tables.ts'

export function sqlSharedResults({ db, tables, atomically, sweep }: Dialect<AccountTables>): SharedResults {
  const { sharedResults, users } = tables
  const { id: resultId, userId: ownerId, tokenHash, expiresAtMs } = sharedResults
  const { tokenHash: _, ...found } = getTableColumns(sharedResults)
  const { json: _json, ...listed } = found
  const isOpenOf = (userId: string, nowMs: number) => and(eq(ownerId, userId), gt(expiresAtMs, nowMs))

  return {
    share(result, max) {
      return atomically(function* (tx) {
        const isCounted = isOpenOf(result.userId, result.createdAtMs)
        const [counted] = yield* run(tx.select({ count: count() }).from(sharedResults).where(isCounted))
        if (counted!.count >= max) return false
        yield* run(tx.insert(sharedResults).values(result))
        return true
      })
    },

    find(hash, nowMs) {
      const isOpen = and(eq(tokenHash, hash), gt(expiresAtMs, nowMs), isNull(users.suspendedAtMs))
      return firstRow(db.select(found).from(sharedResults).innerJoin(users, eq(users.id, ownerId)).where(isOpen))
    },

    async list(userId, nowMs) {
      const open = db.select(listed).from(sharedResults).where(isOpenOf(userId, nowMs))
      return open.orderBy(desc(sharedResults.createdAtMs), desc(resultId))
    },

    stop(userId, id) {
      const filter = and(eq(ownerId, userId), eq(resultId, id))
      return hasRows(db.delete(sharedResults).where(filter).returning({ id: resultId }))
    },

    sweep: (nowMs) => sweep(sharedResults, lte(expiresAtMs, nowMs)),
  }
}
