import { and, asc, count, desc, eq, getTableColumns, isNotNull, isNull, ne, sql } from 'drizzle-orm'

import type { NewUser, User, Users } from '../../core/account-ports.ts'
import { isAmong } from '../postgres/dialect.ts'
import { isCountedKey } from './keys.ts'
import { apiKeys, sessions, users, type Drizzle } from '../postgres/schema.ts'
import { serializable } from '../postgres/transaction.ts'

const { searchText: _, ...columns } = getTableColumns(users)

/** The columns of a `User`. */
export const USER_COLUMNS = columns

const NEWEST_FIRST = [desc(users.createdAtMs), desc(users.id)]

export function postgresUsers(db: Drizzle): Users {
  /** The columns of a `ListedUser`. */
  const listedColumns = (nowMs: number) => {
    const activeKeys = db
      .select({ count: count() })
      .from(apiKeys)
      .where(and(eq(apiKeys.userId, users.id), isCountedKey(nowMs)))
    return { ...USER_COLUMNS, activeKeys: sql`(${activeKeys})`.mapWith(Number) }
  }

  return {
    ensure(user) {
      return serializable(db, async (tx) => (await findByEmail(tx, user.email)) ?? (await insertUser(tx, user, null)))
    },

    find: (id) => findById(db, id),
    findByEmail: (email) => findByEmail(db, email),

    async list() {
      return db.select(USER_COLUMNS).from(users).orderBy(asc(users.createdAtMs), asc(users.id))
    },

    async matching(text) {
      const found = await db
        .select({ id: users.id })
        .from(users)
        .where(contains(text))
        .orderBy(...NEWEST_FIRST)
      return found.map(({ id }) => id)
    },

    async listed(ids, nowMs) {
      const found = await db.select(listedColumns(nowMs)).from(users).where(isAmong(users.id, ids))
      const byId = new Map(found.map((user) => [user.id, user]))
      return ids.flatMap((id) => byId.get(id) ?? [])
    },

    async search({ text, offset, limit, nowMs }) {
      const filter = contains(text)
      const [page, [counted]] = await Promise.all([
        db
          .select(listedColumns(nowMs))
          .from(users)
          .where(filter)
          .orderBy(...NEWEST_FIRST)
          .limit(limit)
          .offset(offset),
        db.select({ total: count() }).from(users).where(filter),
      ])
      return { users: page, total: counted!.total }
    },

    async setPlan(email, plan) {
      const isOther = and(eq(users.email, email), ne(users.plan, plan))
      const [changed] = await db.update(users).set({ plan }).where(isOther).returning(USER_COLUMNS)
      if (changed) return { user: changed, hasChanged: true }
      const user = await findByEmail(db, email)
      return user && { user, hasChanged: false }
    },

    suspend(id, atMs) {
      return serializable(db, async (tx) => {
        await tx.delete(sessions).where(eq(sessions.userId, id))
        const isActive = and(eq(users.id, id), isNull(users.suspendedAtMs))
        const suspended = await tx
          .update(users)
          .set({ suspendedAtMs: atMs })
          .where(isActive)
          .returning({ id: users.id })
        return suspended.length > 0
      })
    },

    async resume(id) {
      const isSuspended = and(eq(users.id, id), isNotNull(users.suspendedAtMs))
      const resumed = await db.update(users).set({ suspendedAtMs: null }).where(isSuspended).returning({ id: users.id })
      return resumed.length > 0
    },

    async setLogsUrls(id, logsUrls) {
      await db.update(users).set({ logsUrls }).where(eq(users.id, id))
    },

    async remove(id) {
      return (await db.delete(users).where(eq(users.id, id)).returning({ id: users.id })).length > 0
    },
  }
}

export async function findById(tx: Drizzle, id: string): Promise<User | null> {
  const [user] = await tx.select(USER_COLUMNS).from(users).where(eq(users.id, id))
  return user ?? null
}

export async function findByEmail(tx: Drizzle, email: string): Promise<User | null> {
  const [user] = await tx.select(USER_COLUMNS).from(users).where(eq(users.email, email))
  return user ?? null
}

export async function insertUser(tx: Drizzle, user: NewUser, name: string | null): Promise<User> {
  const searchText = searchTextOf(user.email, name)
  const [inserted] = await tx
    .insert(users)
    .values({ ...user, name, searchText })
    .returning(USER_COLUMNS)
  return inserted!
}

/** Whether the address or name of a user contains the text; undefined for '', which matches all users. */
function contains(text: string) {
  return text === '' ? undefined : sql`position(${folded(text)} in ${users.searchText}) > 0`
}

/** The text to search. The line break prevents matches across email and name. */
export function searchTextOf(email: string, name: string | null): string {
  return `${folded(email)}\n${folded(name ?? '')}`
}

/** Normalizes Unicode (NFKC) and folds case; upper case first, because it converts `ß` to `SS`. */
function folded(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase()
}
