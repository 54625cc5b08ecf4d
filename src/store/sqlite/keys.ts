import { and, asc, count, desc, eq, getTableColumns, gt, gte, inArray, isNull, lte, lt, or, sql } from 'drizzle-orm'

import type { ApiKey, Keys } from '../../core/account-ports.ts'
import type { RecentKeys } from '../../core/key-owner.ts'
import { rangesOf } from '../../core/key-settings.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import { apiKeys, users, type Drizzle } from '../sql/tables.ts'

/** Whether a key works: it is neither deactivated nor expired. */
const isWorkingKey = (nowMs: number) =>
  and(isNull(apiKeys.deactivatedAtMs), or(isNull(apiKeys.expiresAtMs), gt(apiKeys.expiresAtMs, nowMs)))

/** Whether a key counts against the plan's maximum: it works and has no successor. */
export const isCountedKey = (nowMs: number) => and(isWorkingKey(nowMs), isNull(apiKeys.replacedById))

export function sqliteKeys(db: Drizzle): Keys {
  const { expiresAtMs, allowedHosts, allowedAddresses } = apiKeys
  const findActive = db
    .select({
      keyId: apiKeys.id,
      userId: users.id,
      plan: users.plan,
      logsUrls: users.logsUrls,
      expiresAtMs,
      allowedHosts,
      allowedAddresses,
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(eq(apiKeys.hash, sql.placeholder('hash')), isNull(apiKeys.deactivatedAtMs), isNull(users.suspendedAtMs)))
    .prepare()

  // All columns but the hash, which is only used for lookups.
  const { hash: _, ...columns } = getTableColumns(apiKeys)

  function hasTooManyRecent(tx: Drizzle, userId: string, recent: RecentKeys | undefined): boolean {
    if (recent === undefined) return false
    const isRecent = and(eq(apiKeys.userId, userId), gte(apiKeys.createdAtMs, recent.sinceMs))
    return tx.select({ count: count() }).from(apiKeys).where(isRecent).get()!.count >= recent.max
  }

  function findKey(filter: ReturnType<typeof and>): ApiKey | null {
    return db.select(columns).from(apiKeys).where(filter).get() ?? null
  }

  return {
    async create(key, maxActive, recent) {
      return db.transaction(
        (tx) => {
          if (tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, key.id)).get()) return 'repeated'
          const active = tx
            .select({ count: count() })
            .from(apiKeys)
            .where(and(eq(apiKeys.userId, key.userId), isCountedKey(key.createdAtMs)))
            .get()!
          if (active.count >= maxActive) return 'too_many'
          if (hasTooManyRecent(tx, key.userId, recent)) return 'too_many_recent'
          tx.insert(apiKeys).values(key).run()
          return 'created'
        },
        { behavior: 'immediate' },
      )
    },

    async rotate(id, successor, endsAtMs, recent) {
      const { userId, createdAtMs: nowMs } = successor
      const isRotatable = and(eq(apiKeys.id, id), eq(apiKeys.userId, userId), isCountedKey(nowMs))
      return db.transaction(
        (tx) => {
          if (hasTooManyRecent(tx, userId, recent)) return 'too_many_recent'
          const replaced = tx
            .update(apiKeys)
            .set({
              replacedById: successor.id,
              expiresAtMs: sql`min(coalesce(${apiKeys.expiresAtMs}, ${endsAtMs}), ${endsAtMs})`,
            })
            .where(isRotatable)
            .returning({ id: apiKeys.id })
            .get()
          if (!replaced) return 'inactive'
          tx.insert(apiKeys).values(successor).run()
          return 'rotated'
        },
        { behavior: 'immediate' },
      )
    },

    async update(userId, id, changes, nowMs) {
      const filter = and(eq(apiKeys.id, id), eq(apiKeys.userId, userId), isCountedKey(nowMs))
      if (Object.keys(changes).length === 0) return findKey(filter)
      return db.update(apiKeys).set(changes).where(filter).returning(columns).get() ?? null
    },

    async findActive(hash) {
      const found = findActive.get({ hash })
      if (!found) return null
      const { allowedAddresses: addresses, ...owner } = found
      return { ...owner, allowedRanges: rangesOf(addresses) }
    },

    async list() {
      return db
        .select({ ...columns, email: users.email })
        .from(apiKeys)
        .innerJoin(users, eq(users.id, apiKeys.userId))
        .orderBy(asc(apiKeys.createdAtMs), asc(apiKeys.id))
        .all()
    },

    async listOf(userId, nowMs, page) {
      const isOfUser = eq(apiKeys.userId, userId)
      const all = db
        .select(columns)
        .from(apiKeys)
        .where(isOfUser)
        .orderBy(sql`${isWorkingKey(nowMs)} DESC`, desc(apiKeys.createdAtMs), desc(apiKeys.id))
      const keys = page === undefined ? all.all() : all.limit(page.limit).offset(page.offset).all()
      const counts = db
        .select({ total: count(), active: sql<number>`count(*) FILTER (WHERE ${isCountedKey(nowMs)})` })
        .from(apiKeys)
        .where(isOfUser)
        .get()!
      return { keys, ...counts }
    },

    async find(id) {
      return findKey(eq(apiKeys.id, id))
    },

    async findOf(userId, id) {
      return findKey(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId)))
    },

    async deactivate(id, atMs, ownerId) {
      const filter = and(eq(apiKeys.id, id), ownerId === undefined ? undefined : eq(apiKeys.userId, ownerId))
      return db.transaction(
        (tx) => {
          const isActive = and(filter, isNull(apiKeys.deactivatedAtMs))
          const changed = tx.update(apiKeys).set({ deactivatedAtMs: atMs }).where(isActive).returning(columns).get()
          const key = changed ?? tx.select(columns).from(apiKeys).where(filter).get()
          return key ? { key, hasChanged: changed !== undefined } : null
        },
        { behavior: 'immediate' },
      )
    },

    async sweep(endedBeforeMs) {
      const { id, deactivatedAtMs } = apiKeys
      // An expired key may also be deactivated later; the earlier end counts.
      const isOld = or(lt(deactivatedAtMs, endedBeforeMs), lte(expiresAtMs, endedBeforeMs))
      const old = db.select({ id }).from(apiKeys).where(isOld).limit(STEP_ROWS)
      return inSteps(() => db.delete(apiKeys).where(inArray(id, old)).returning({ id }).all().length)
    },
  }
}
