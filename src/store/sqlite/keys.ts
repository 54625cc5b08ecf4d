import { and, asc, count, desc, eq, getTableColumns, gte, inArray, isNull, lt, sql } from 'drizzle-orm'

import type { Keys } from '../../core/account-ports.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import { apiKeys, users, type Drizzle } from './schema.ts'

export function sqliteKeys(db: Drizzle): Keys {
  const findActive = db
    .select({ keyId: apiKeys.id, userId: users.id, plan: users.plan })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(eq(apiKeys.hash, sql.placeholder('hash')), isNull(apiKeys.deactivatedAtMs), isNull(users.suspendedAtMs)))
    .prepare()

  // All columns but the hash, which is only used for lookups.
  const { hash: _, ...columns } = getTableColumns(apiKeys)

  return {
    async create(key, maxActive, recent) {
      return db.transaction(
        (tx) => {
          if (tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, key.id)).get()) return 'repeated'
          const active = tx
            .select({ count: count() })
            .from(apiKeys)
            .where(and(eq(apiKeys.userId, key.userId), isNull(apiKeys.deactivatedAtMs)))
            .get()!
          if (active.count >= maxActive) return 'too_many'
          if (recent !== undefined) {
            const created = tx
              .select({ count: count() })
              .from(apiKeys)
              .where(and(eq(apiKeys.userId, key.userId), gte(apiKeys.createdAtMs, recent.sinceMs)))
              .get()!
            if (created.count >= recent.max) return 'too_many_recent'
          }
          tx.insert(apiKeys).values(key).run()
          return 'created'
        },
        { behavior: 'immediate' },
      )
    },

    async findActive(hash) {
      return findActive.get({ hash }) ?? null
    },

    async list() {
      return db
        .select({ ...columns, email: users.email })
        .from(apiKeys)
        .innerJoin(users, eq(users.id, apiKeys.userId))
        .orderBy(asc(apiKeys.createdAtMs), asc(apiKeys.id))
        .all()
    },

    async listOf(userId, page) {
      const isOfUser = eq(apiKeys.userId, userId)
      const all = db
        .select(columns)
        .from(apiKeys)
        .where(isOfUser)
        .orderBy(sql`${apiKeys.deactivatedAtMs} IS NOT NULL`, desc(apiKeys.createdAtMs), desc(apiKeys.id))
      const keys = page === undefined ? all.all() : all.limit(page.limit).offset(page.offset).all()
      const counts = db
        .select({ total: count(), active: sql<number>`count(*) - count(${apiKeys.deactivatedAtMs})` })
        .from(apiKeys)
        .where(isOfUser)
        .get()!
      return { keys, ...counts }
    },

    async findOf(userId, id) {
      const filter = and(eq(apiKeys.id, id), eq(apiKeys.userId, userId))
      return db.select(columns).from(apiKeys).where(filter).get() ?? null
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

    async sweep(deactivatedBeforeMs) {
      const { id, deactivatedAtMs } = apiKeys
      const old = db.select({ id }).from(apiKeys).where(lt(deactivatedAtMs, deactivatedBeforeMs)).limit(STEP_ROWS)
      return inSteps(() => db.delete(apiKeys).where(inArray(id, old)).returning({ id }).all().length)
    },
  }
}
