import { and, asc, count, desc, eq, getTableColumns, isNull, lt, or, sql } from 'drizzle-orm'

import type { NewUser, User, UserOverview, Users } from '../../core/account-ports.ts'
import { monthOf } from '../../core/period.ts'
import { hashToken } from '../../core/token.ts'
import { apiKeys, departedUsage, monthlyUsage, sessions, users, type Drizzle } from './schema.ts'

export function sqliteUsers(db: Drizzle): Users {
  const activeKeys = db
    .select({ count: count() })
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, users.id), isNull(apiKeys.deactivatedAtMs)))

  return {
    async ensure(user) {
      return db.transaction((tx) => findByEmail(tx, user.email) ?? insertUser(tx, user), { behavior: 'immediate' })
    },

    async find(id) {
      return db.select().from(users).where(eq(users.id, id)).get() ?? null
    },

    async list() {
      return db.select().from(users).orderBy(asc(users.createdAtMs), asc(users.id)).all()
    },

    async search({ text, month, offset, limit }) {
      const wanted = text.toLowerCase()
      const matches = or(
        sql`instr(${users.email}, ${wanted}) > 0`,
        sql`instr(lower(coalesce(${users.name}, '')), ${wanted}) > 0`,
      )
      const page: UserOverview[] = db
        .select({
          ...getTableColumns(users),
          activeKeys: sql<number>`(${activeKeys})`,
          used: sql<number>`coalesce(${monthlyUsage.used}, 0)`,
        })
        .from(users)
        .leftJoin(monthlyUsage, and(eq(monthlyUsage.userId, users.id), eq(monthlyUsage.month, month)))
        .where(matches)
        .orderBy(desc(users.createdAtMs), desc(users.id))
        .limit(limit)
        .offset(offset)
        .all()
      const { total } = db.select({ total: count() }).from(users).where(matches).get()!
      return { users: page, total }
    },

    async setPlan(email, plan) {
      return db.update(users).set({ plan }).where(eq(users.email, email)).returning().get() ?? null
    },

    async suspend(id, atMs) {
      return db.transaction(
        (tx) => {
          tx.delete(sessions).where(eq(sessions.userId, id)).run()
          const suspendedAtMs = sql`coalesce(${users.suspendedAtMs}, ${atMs})`
          return tx.update(users).set({ suspendedAtMs }).where(eq(users.id, id)).returning().all().length > 0
        },
        { behavior: 'immediate' },
      )
    },

    async resume(id) {
      return db.update(users).set({ suspendedAtMs: null }).where(eq(users.id, id)).returning().all().length > 0
    },

    async remove(id, atMs) {
      return db.transaction(
        (tx) => {
          const month = monthOf(atMs)
          const user = tx
            .select({ email: users.email, used: monthlyUsage.used })
            .from(users)
            .leftJoin(monthlyUsage, and(eq(monthlyUsage.userId, users.id), eq(monthlyUsage.month, month)))
            .where(eq(users.id, id))
            .get()
          if (!user) return false
          tx.delete(departedUsage).where(lt(departedUsage.month, month)).run()
          const departed = { emailHash: hashToken(user.email), month, used: user.used ?? 0 }
          if (departed.used > 0) tx.insert(departedUsage).values(departed).run()
          tx.delete(users).where(eq(users.id, id)).run()
          return true
        },
        { behavior: 'immediate' },
      )
    },
  }
}

export function findByEmail(tx: Drizzle, email: string): User | null {
  return tx.select().from(users).where(eq(users.email, email)).get() ?? null
}

/** Makes a user; one who was here before goes on in the month as they left it. */
export function insertUser(tx: Drizzle, user: NewUser & { name?: string | null }): User {
  const inserted = tx.insert(users).values(user).returning().get()
  const month = monthOf(user.createdAtMs)
  const left = tx
    .delete(departedUsage)
    .where(and(eq(departedUsage.emailHash, hashToken(user.email)), eq(departedUsage.month, month)))
    .returning({ used: departedUsage.used })
    .get()
  if (left) tx.insert(monthlyUsage).values({ userId: user.id, month, used: left.used }).run()
  return inserted
}
