import { and, asc, count, desc, eq, getTableColumns, inArray, isNotNull, isNull, ne, sql } from 'drizzle-orm'

import type { ListedUser, NewUser, User, Users } from '../../core/account-ports.ts'
import { isCountedKey } from './keys.ts'
import { apiKeys, sessions, users, type Drizzle } from '../sql/tables.ts'

const NEWEST_FIRST = [desc(users.createdAtMs), desc(users.id)]

export function sqliteUsers(db: Drizzle): Users {
  const activeKeys = (nowMs: number) =>
    db
      .select({ count: count() })
      .from(apiKeys)
      .where(and(eq(apiKeys.userId, users.id), isCountedKey(nowMs)))

  return {
    async ensure(user) {
      return db.transaction((tx) => findByEmail(tx, user.email) ?? insertUser(tx, user), { behavior: 'immediate' })
    },

    async find(id) {
      return db.select().from(users).where(eq(users.id, id)).get() ?? null
    },

    async findByEmail(email) {
      return findByEmail(db, email)
    },

    async list() {
      return db.select().from(users).orderBy(asc(users.createdAtMs), asc(users.id)).all()
    },

    async matching(text) {
      return idsOf(db, text)
    },

    async listed(ids, nowMs) {
      const found = db
        .select({ ...getTableColumns(users), activeKeys: sql<number>`(${activeKeys(nowMs)})` })
        .from(users)
        .where(inArray(users.id, [...ids]))
        .all()
      const byId = new Map(found.map((user) => [user.id, user]))
      return ids.flatMap((id) => byId.get(id) ?? [])
    },

    async search({ text, offset, limit, nowMs }) {
      const wanted = text === '' ? null : idsOf(db, text)
      const filter = wanted === null ? undefined : inArray(users.id, wanted.slice(offset, offset + limit))
      const page: ListedUser[] = db
        .select({ ...getTableColumns(users), activeKeys: sql<number>`(${activeKeys(nowMs)})` })
        .from(users)
        .where(filter)
        .orderBy(...NEWEST_FIRST)
        .limit(limit)
        .offset(wanted === null ? offset : 0)
        .all()
      const total = wanted?.length ?? db.select({ total: count() }).from(users).get()!.total
      return { users: page, total }
    },

    async setPlan(email, plan) {
      return db.transaction(
        (tx) => {
          const isOther = and(eq(users.email, email), ne(users.plan, plan))
          const changed = tx.update(users).set({ plan }).where(isOther).returning().get()
          if (changed) return { user: changed, hasChanged: true }
          const user = findByEmail(tx, email)
          return user && { user, hasChanged: false }
        },
        { behavior: 'immediate' },
      )
    },

    async suspend(id, atMs) {
      return db.transaction(
        (tx) => {
          tx.delete(sessions).where(eq(sessions.userId, id)).run()
          const isActive = and(eq(users.id, id), isNull(users.suspendedAtMs))
          return tx.update(users).set({ suspendedAtMs: atMs }).where(isActive).returning().all().length > 0
        },
        { behavior: 'immediate' },
      )
    },

    async resume(id) {
      const isSuspended = and(eq(users.id, id), isNotNull(users.suspendedAtMs))
      return db.update(users).set({ suspendedAtMs: null }).where(isSuspended).returning().all().length > 0
    },

    async setLogsUrls(id, logsUrls) {
      db.update(users).set({ logsUrls }).where(eq(users.id, id)).run()
    },

    async remove(id) {
      return db.delete(users).where(eq(users.id, id)).returning({ id: users.id }).all().length > 0
    },
  }
}

export function findByEmail(tx: Drizzle, email: string): User | null {
  return tx.select().from(users).where(eq(users.email, email)).get() ?? null
}

export function insertUser(tx: Drizzle, user: NewUser): User {
  return tx.insert(users).values(user).returning().get()
}

/**
 * The ids of users whose address or name contains the text, newest first. All users are read and compared here, because
 * SQLite's `lower` only handles ASCII. Operators search rarely, and 100,000 users take a fraction of a second.
 */
function idsOf(db: Drizzle, text: string): string[] {
  const wanted = folded(text)
  const { id, email, name } = users
  return db
    .select({ id, email, name })
    .from(users)
    .orderBy(...NEWEST_FIRST)
    .all()
    .filter((user) => folded(user.email).includes(wanted) || folded(user.name ?? '').includes(wanted))
    .map((user) => user.id)
}

/** Normalizes Unicode (NFKC) and folds case; upper case first, because it converts `ß` to `SS`. */
function folded(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase()
}
