import { and, asc, count, eq, getTableColumns, isNull, sql } from 'drizzle-orm'

import type { Keys } from '../../core/ports.ts'
import { apiKeys, users, type Drizzle } from './schema.ts'

export function sqliteKeys(db: Drizzle): Keys {
  const findActive = db
    .select({ keyId: apiKeys.id, userId: users.id, plan: users.plan })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(eq(apiKeys.hash, sql.placeholder('hash')), isNull(apiKeys.deactivatedAtMs)))
    .prepare()

  return {
    async create(key, maxActive) {
      return db.transaction(
        (tx) => {
          const active = tx
            .select({ count: count() })
            .from(apiKeys)
            .where(and(eq(apiKeys.userId, key.userId), isNull(apiKeys.deactivatedAtMs)))
            .get()!
          if (active.count >= maxActive) return false
          tx.insert(apiKeys).values(key).run()
          return true
        },
        { behavior: 'immediate' },
      )
    },

    async findActive(hash) {
      return findActive.get({ hash }) ?? null
    },

    async list() {
      const { hash: _, ...columns } = getTableColumns(apiKeys)
      return db
        .select({ ...columns, email: users.email })
        .from(apiKeys)
        .innerJoin(users, eq(users.id, apiKeys.userId))
        .orderBy(asc(apiKeys.createdAtMs), asc(apiKeys.id))
        .all()
    },

    async deactivate(id, atMs) {
      const deactivated = db
        .update(apiKeys)
        .set({ deactivatedAtMs: sql`coalesce(${apiKeys.deactivatedAtMs}, ${atMs})` })
        .where(eq(apiKeys.id, id))
        .returning({ id: apiKeys.id })
        .all()
      return deactivated.length > 0
    },
  }
}
