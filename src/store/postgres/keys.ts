import { and, asc, count, desc, eq, getTableColumns, gte, inArray, isNull, lt, sql } from 'drizzle-orm'

import type { KeyOwner, Keys } from '../../core/account-ports.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import { isAmong } from './is-among.ts'
import { apiKeys, users, type Drizzle } from './schema.ts'
import { serializable } from './transaction.ts'

export interface PostgresKeys extends Omit<Keys, 'findActive'> {
  /** The owners of the active keys among these hashes; see `Keys.findActive`. */
  findAllActive(hashes: readonly string[]): Promise<ReadonlyMap<string, KeyOwner>>
}

export function postgresKeys(db: Drizzle): PostgresKeys {
  // All columns but the hash, which is only used for lookups.
  const { hash: _, ...columns } = getTableColumns(apiKeys)

  return {
    create(key, maxActive, recent) {
      return serializable(db, async (tx) => {
        const countOf = async (isMeant: ReturnType<typeof isNull>) => {
          const [counted] = await tx
            .select({ count: count() })
            .from(apiKeys)
            .where(and(eq(apiKeys.userId, key.userId), isMeant))
          return counted!.count
        }
        const [known] = await tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, key.id))
        if (known) return 'repeated'
        if ((await countOf(isNull(apiKeys.deactivatedAtMs))) >= maxActive) return 'too_many'
        if (recent !== undefined && (await countOf(gte(apiKeys.createdAtMs, recent.sinceMs))) >= recent.max) {
          return 'too_many_recent'
        }
        await tx.insert(apiKeys).values(key)
        return 'created'
      })
    },

    async findAllActive(hashes) {
      const rows = await db
        .select({ hash: apiKeys.hash, keyId: apiKeys.id, userId: users.id, plan: users.plan })
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

    async listOf(userId, page) {
      const isTheirs = eq(apiKeys.userId, userId)
      const all = db
        .select(columns)
        .from(apiKeys)
        .where(isTheirs)
        .orderBy(sql`${apiKeys.deactivatedAtMs} IS NOT NULL`, desc(apiKeys.createdAtMs), desc(apiKeys.id))
      const [keys, [counted]] = await Promise.all([
        page === undefined ? all : all.limit(page.limit).offset(page.offset),
        db
          .select({ total: count(), active: sql`count(*) - count(${apiKeys.deactivatedAtMs})`.mapWith(Number) })
          .from(apiKeys)
          .where(isTheirs),
      ])
      return { keys, ...counted! }
    },

    async findOf(userId, id) {
      const [key] = await db
        .select(columns)
        .from(apiKeys)
        .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId)))
      return key ?? null
    },

    async deactivate(id, atMs, ownerId) {
      const isMeant = and(eq(apiKeys.id, id), ownerId === undefined ? undefined : eq(apiKeys.userId, ownerId))
      const isActive = and(isMeant, isNull(apiKeys.deactivatedAtMs))
      const [changed] = await db.update(apiKeys).set({ deactivatedAtMs: atMs }).where(isActive).returning(columns)
      if (changed) return { key: changed, hasChanged: true }
      const [key] = await db.select(columns).from(apiKeys).where(isMeant)
      return key ? { key, hasChanged: false } : null
    },

    async sweep(deactivatedBeforeMs) {
      const { id, deactivatedAtMs } = apiKeys
      const dead = db.select({ id }).from(apiKeys).where(lt(deactivatedAtMs, deactivatedBeforeMs)).limit(STEP_ROWS)
      return inSteps(() => db.delete(apiKeys).where(inArray(id, dead)).returning({ id }))
    },
  }
}
