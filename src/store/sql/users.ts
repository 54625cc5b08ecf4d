import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, ne, or } from 'drizzle-orm'

import type { NewUser, UserFilter, UserReads, UserWrites } from '../../core/accounts/ports.ts'
import type { UserPlan } from '../../core/plan.ts'
import { recordAudit, recordIfChanged } from './audit-log.ts'
import { type Dialect, type Drizzle, firstRow, hasRows, type ReadDialect, type Reader, run } from './dialect.ts'
import { isCountedKey } from './keys.ts'
import type { AccountTables } from './tables.ts'

export function sqlUserReads({ db, tables, isAmong, contains }: ReadDialect<AccountTables>): UserReads {
  const { users, apiKeys } = tables
  const { columns, byEmail, byId } = userStatements(tables)
  const [newest, highestId] = [desc(users.createdAtMs), desc(users.id)]

  const listedColumns = (nowMs: number) => {
    const isActiveKey = and(eq(apiKeys.userId, users.id), isCountedKey(apiKeys, nowMs))
    return { ...columns, activeKeys: db.$count(apiKeys, isActiveKey) }
  }

  /** Undefined for a filter that matches all users. */
  const matches = ({ text, plan, isSuspended }: UserFilter) =>
    and(
      text === '' ? undefined : contains(users.searchText, folded(text)),
      plan === null ? undefined : eq(users.plan, plan),
      isSuspended === null ? undefined : isSuspended ? isNotNull(users.suspendedAtMs) : isNull(users.suspendedAtMs),
    )

  return {
    find: (id) => firstRow(byId(db, id)),

    findByEmail: (email) => firstRow(byEmail(db, email)),

    list: async () => db.select(columns).from(users).orderBy(asc(users.createdAtMs), asc(users.id)),

    async matching(filter) {
      const found = await db.select({ id: users.id }).from(users).where(matches(filter)).orderBy(newest, highestId)
      return found.map(({ id }) => id)
    },

    async listed(ids, nowMs) {
      const found = await db.select(listedColumns(nowMs)).from(users).where(isAmong(users.id, ids))
      const foundById = new Map(found.map((user) => [user.id, user]))
      return ids.flatMap((id) => foundById.get(id) ?? [])
    },

    async search({ offset, limit, maxTotal, nowMs, ...search }) {
      const filter = matches(search)
      const newestFirst = db.select(listedColumns(nowMs)).from(users).where(filter).orderBy(newest, highestId)
      const counted = db.select({ id: users.id }).from(users).where(filter).limit(maxTotal).as('counted')
      const page = newestFirst.limit(limit).offset(offset)
      const [found, total] = await Promise.all([page, db.$count(counted)])
      return { users: found, total }
    },
  }
}

export function sqlUserWrites({ db, tables, atomically }: Dialect<AccountTables>): UserWrites {
  const { users, sessions } = tables
  const { columns, byEmail, insert } = userStatements(tables)

  return {
    ensure(user) {
      return atomically(function* (tx) {
        const [known] = yield* run(byEmail(tx, user.email))
        if (known) return known
        const [inserted] = yield* run(insert(tx, user, null))
        return inserted!
      })
    },

    setPlan(email, changes, audit) {
      const differences = Object.entries(changes).map(([name, value]) => {
        const column = users[name as keyof UserPlan]
        // `<>` is not true for null.
        return value === null ? isNotNull(column) : or(isNull(column), ne(column, value))
      })
      return atomically(function* (tx) {
        const isDifferent = and(eq(users.email, email), or(...differences))
        const [changed] = yield* run(tx.update(users).set(changes).where(isDifferent).returning(columns))
        if (changed) {
          yield* recordAudit(tx, tables, changed, audit)
          return { user: changed, hasChanged: true }
        }
        const [user] = yield* run(byEmail(tx, email))
        return user ? { user, hasChanged: false } : null
      })
    },

    suspend(id, atMs, audit) {
      return atomically(function* (tx) {
        yield* run(tx.delete(sessions).where(eq(sessions.userId, id)))
        const isActive = and(eq(users.id, id), isNull(users.suspendedAtMs))
        const suspension = tx.update(users).set({ suspendedAtMs: atMs }).where(isActive)
        const suspended = yield* run(suspension.returning({ id: users.id }))
        return yield* recordIfChanged(tx, tables, suspended, audit)
      })
    },

    resume(id, audit) {
      const isSuspended = and(eq(users.id, id), isNotNull(users.suspendedAtMs))
      return atomically(function* (tx) {
        const resumption = tx.update(users).set({ suspendedAtMs: null }).where(isSuspended)
        const resumed = yield* run(resumption.returning({ id: users.id }))
        return yield* recordIfChanged(tx, tables, resumed, audit)
      })
    },

    async setLogsUrls(id, logsUrls) {
      await db.update(users).set({ logsUrls }).where(eq(users.id, id))
    },

    remove: (id) => hasRows(db.delete(users).where(eq(users.id, id)).returning({ id: users.id })),
  }
}

/** The columns of a `User`, and statements that reads and writes share. */
export function userStatements({ users }: Pick<AccountTables, 'users'>) {
  const { searchText: _, ...columns } = getTableColumns(users)
  return {
    columns,
    byId: (tx: Reader, id: string) => tx.select(columns).from(users).where(eq(users.id, id)),
    byEmail: (tx: Reader, email: string) => tx.select(columns).from(users).where(eq(users.email, email)),
    insert: (tx: Drizzle, user: NewUser, name: string | null) =>
      tx
        .insert(users)
        .values({ ...user, name, searchText: searchTextOf(user.email, name) })
        .returning(columns),
  }
}

/** The text to search. The line break prevents matches across email and name. */
export const searchTextOf = (email: string, name: string | null): string => `${folded(email)}\n${folded(name ?? '')}`

/** Normalizes Unicode (NFKC) and folds case; upper case first, because it converts `ß` to `SS`. */
const folded = (text: string): string => text.normalize('NFKC').toUpperCase().toLowerCase()
