import { and, asc, count, desc, eq, getTableColumns, gt, gte, inArray, isNull, lt, lte, or, sql } from 'drizzle-orm'

import type { ApiKey, Keys } from '../../core/account-ports.ts'
import type { KeyOwner, RecentKeys } from '../../core/key-owner.ts'
import { rangesOf } from '../../core/key-settings.ts'
import { inSteps, STEP_ROWS } from '../postgres/in-steps.ts'
import { isAmong } from '../postgres/dialect.ts'
import { apiKeys, users, type Drizzle } from '../postgres/schema.ts'
import { serializable } from '../postgres/transaction.ts'

/** The owner of a key whose allowed addresses are not parsed yet. */
export interface StoredOwner extends Omit<KeyOwner, 'allowedRanges'> {
  allowedAddresses: readonly string[]
}

export interface PostgresKeys extends Omit<Keys, 'findActive'> {
  /** The owners of the active keys among these hashes; see `Keys.findActive`. */
  findAllActive(hashes: readonly string[]): Promise<ReadonlyMap<string, StoredOwner>>
}

/**
 * Parses the allowed addresses. Separate from `findAllActive`, so that invalid addresses of one key do not fail the
 * lookups of other keys.
 */
export function ownerOf({ allowedAddresses, ...owner }: StoredOwner): KeyOwner {
  return { ...owner, allowedRanges: rangesOf(allowedAddresses) }
}

/** Whether a key works: it is neither deactivated nor expired. */
const isWorkingKey = (nowMs: number) =>
  and(isNull(apiKeys.deactivatedAtMs), or(isNull(apiKeys.expiresAtMs), gt(apiKeys.expiresAtMs, nowMs)))

/** Whether a key counts against the plan's maximum: it works and has no successor. */
export const isCountedKey = (nowMs: number) => and(isWorkingKey(nowMs), isNull(apiKeys.replacedById))

export function postgresKeys(db: Drizzle): PostgresKeys {
  const { expiresAtMs, allowedHosts, allowedAddresses } = apiKeys
  // All columns but the hash, which is only used for lookups.
  const { hash: _, ...columns } = getTableColumns(apiKeys)

  async function countOf(tx: Drizzle, userId: string, filter: ReturnType<typeof and>): Promise<number> {
    const [counted] = await tx
      .select({ count: count() })
      .from(apiKeys)
      .where(and(eq(apiKeys.userId, userId), filter))
    return counted!.count
  }

  async function hasTooManyRecent(tx: Drizzle, userId: string, recent: RecentKeys | undefined): Promise<boolean> {
    return recent !== undefined && (await countOf(tx, userId, gte(apiKeys.createdAtMs, recent.sinceMs))) >= recent.max
  }

  async function findKey(filter: ReturnType<typeof and>): Promise<ApiKey | null> {
    const [key] = await db.select(columns).from(apiKeys).where(filter)
    return key ?? null
  }

  return {
    create(key, maxActive, recent) {
      return serializable(db, async (tx) => {
        const [known] = await tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, key.id))
        if (known) return 'repeated'
        if ((await countOf(tx, key.userId, isCountedKey(key.createdAtMs))) >= maxActive) return 'too_many'
        if (await hasTooManyRecent(tx, key.userId, recent)) return 'too_many_recent'
        await tx.insert(apiKeys).values(key)
        return 'created'
      })
    },

    rotate(id, successor, endsAtMs, recent) {
      const { userId, createdAtMs: nowMs } = successor
      const isRotatable = and(eq(apiKeys.id, id), eq(apiKeys.userId, userId), isCountedKey(nowMs))
      return serializable(db, async (tx) => {
        if (await hasTooManyRecent(tx, userId, recent)) return 'too_many_recent'
        const [replaced] = await tx
          .update(apiKeys)
          // `least` ignores null.
          .set({ replacedById: successor.id, expiresAtMs: sql`least(${expiresAtMs}, ${endsAtMs}::bigint)` })
          .where(isRotatable)
          .returning({ id: apiKeys.id })
        if (!replaced) return 'inactive'
        await tx.insert(apiKeys).values(successor)
        return 'rotated'
      })
    },

    async update(userId, id, changes, nowMs) {
      const filter = and(eq(apiKeys.id, id), eq(apiKeys.userId, userId), isCountedKey(nowMs))
      if (Object.keys(changes).length === 0) return findKey(filter)
      const [key] = await db.update(apiKeys).set(changes).where(filter).returning(columns)
      return key ?? null
    },

    async findAllActive(hashes) {
      const rows = await db
        .select({
          hash: apiKeys.hash,
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
        .where(and(isAmong(apiKeys.hash, hashes), isNull(apiKeys.deactivatedAtMs), isNull(users.suspendedAtMs)))
      return new Map(rows.map(({ hash, ...owner }) => [hash, owner]))
    },

    async list() {
      return db
        .select({ ...columns, email: users.email })
        .from(apiKeys)
        .innerJoin(users, eq(users.id, apiKeys.userId))
        .orderBy(asc(apiKeys.createdAtMs), asc(apiKeys.id))
    },

    async listOf(userId, nowMs, page) {
      const isOfUser = eq(apiKeys.userId, userId)
      const all = db
        .select(columns)
        .from(apiKeys)
        .where(isOfUser)
        .orderBy(sql`${isWorkingKey(nowMs)} DESC`, desc(apiKeys.createdAtMs), desc(apiKeys.id))
      const [keys, [counted]] = await Promise.all([
        page === undefined ? all : all.limit(page.limit).offset(page.offset),
        db
          .select({ total: count(), active: sql`count(*) FILTER (WHERE ${isCountedKey(nowMs)})`.mapWith(Number) })
          .from(apiKeys)
          .where(isOfUser),
      ])
      return { keys, ...counted! }
    },

    async find(id) {
      return findKey(eq(apiKeys.id, id))
    },

    async findOf(userId, id) {
      return findKey(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId)))
    },

    async deactivate(id, atMs, ownerId) {
      const filter = and(eq(apiKeys.id, id), ownerId === undefined ? undefined : eq(apiKeys.userId, ownerId))
      const isActive = and(filter, isNull(apiKeys.deactivatedAtMs))
      const [changed] = await db.update(apiKeys).set({ deactivatedAtMs: atMs }).where(isActive).returning(columns)
      if (changed) return { key: changed, hasChanged: true }
      const key = await findKey(filter)
      return key ? { key, hasChanged: false } : null
    },

    async sweep(endedBeforeMs) {
      const { id, deactivatedAtMs } = apiKeys
      // An expired key may also be deactivated later; the earlier end counts.
      const isOld = or(lt(deactivatedAtMs, endedBeforeMs), lte(expiresAtMs, endedBeforeMs))
      const old = db.select({ id }).from(apiKeys).where(isOld).limit(STEP_ROWS)
      return inSteps(() => db.delete(apiKeys).where(inArray(id, old)).returning({ id }))
    },
  }
}
