import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  isNull,
  lt,
  lte,
  ne,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'

import type { ApiKey, KeyOwner, KeyReads, KeyWrites, RecentKeys } from '../../core/accounts/ports.ts'
import type { RejectedRequests } from '../../core/rejected-requests.ts'
import { type AllowLists, mapAllowLists, rangesOf } from '../../core/accounts/key-settings.ts'
import { recordAudit } from './audit-log.ts'
import {
  type Dialect,
  type Drizzle,
  firstRow,
  hasRows,
  type ReadDialect,
  type Reader,
  run,
  type Steps,
} from './dialect.ts'
import { type AccountTables, userPlanColumns } from './tables.ts'

type ApiKeys = AccountTables['apiKeys']

/** An owner whose allow-lists are not parsed yet. */
export interface StoredOwner extends Omit<KeyOwner, 'allowedRanges'>, AllowLists {
  hash: string
}

/**
 * Parses the allowed addresses of each owner separately, so that an invalid list cannot fail a lookup of several keys.
 */
export function ownerOf(stored: StoredOwner | null | undefined): KeyOwner | null {
  if (!stored) return null
  const { hash: _, allowedAddresses, ...owner } = stored
  return { ...owner, allowedRanges: rangesOf(allowedAddresses) }
}

/** Prepared, because building the statement takes longer than running it. */
function preparedOwners({ db, tables: { apiKeys, users }, isAmong }: ReadDialect<AccountTables>) {
  const { id, hash, expiresAtMs, deactivatedAtMs, replacedById, deletedAtMs } = apiKeys
  const ending = { expiresAtMs, deactivatedAtMs, replacedById, deletedAtMs }
  const { id: userId, logsUrls } = users
  const lists = mapAllowLists((list) => apiKeys[list])
  const isKey = isAmong(hash, sql.placeholder('hashes'))
  return db
    .select({ hash, keyId: id, userId, logsUrls, ...ending, ...userPlanColumns(users), ...lists })
    .from(apiKeys)
    .innerJoin(users, eq(userId, apiKeys.userId))
    .where(and(isKey, isNull(users.suspendedAtMs)))
    .prepare()
}

/** The deleted keys of a user whose rows are kept, which bounds the rows of keys that were rotated at once. */
const MAX_DELETED = 100

/** A working key is neither deactivated nor expired. */
const isWorkingKey = ({ deactivatedAtMs, expiresAtMs }: ApiKeys, nowMs: number) =>
  and(isNull(deactivatedAtMs), or(isNull(expiresAtMs), gt(expiresAtMs, nowMs)))

/** A key counts against the plan's maximum if it works and has no successor. */
export const isCountedKey = (apiKeys: ApiKeys, nowMs: number) =>
  and(isWorkingKey(apiKeys, nowMs), isNull(apiKeys.replacedById))

/** The columns of an `ApiKey`, and parts of statements that reads and writes share. */
function keyStatements({ apiKeys }: AccountTables) {
  // All columns except the hash, which is only used for lookups.
  const { hash: _, ...columns } = getTableColumns(apiKeys)
  return {
    columns,
    isListed: isNull(apiKeys.deletedAtMs),
    hasOwner: (userId: string, id: string) => and(eq(apiKeys.id, id), eq(apiKeys.userId, userId)),
    select: (tx: Reader, filter: SQL | undefined) => tx.select(columns).from(apiKeys).where(filter),
  }
}

export interface SqlKeyReads extends Omit<KeyReads, 'findOwner'> {
  /** The owners of the keys with these hashes, by hash; see `KeyReads.findOwner`. */
  findOwners(hashes: readonly string[]): Promise<ReadonlyMap<string, StoredOwner>>
}

export function sqlKeyReads(dialect: ReadDialect<AccountTables>): SqlKeyReads {
  const { db, tables } = dialect
  const { apiKeys, keyOrigins, users } = tables
  const owners = preparedOwners(dialect)
  const { columns, isListed, hasOwner, select } = keyStatements(tables)

  return {
    async findOwners(hashes) {
      const found = await owners.execute({ hashes: JSON.stringify(hashes) })
      return new Map(found.map((owner) => [owner.hash, owner]))
    },

    isOriginAllowed(origin, nowMs) {
      const isOrigin = origin === null ? undefined : eq(keyOrigins.origin, origin)
      const found = db
        .select({ keyId: apiKeys.id })
        .from(keyOrigins)
        .innerJoin(apiKeys, eq(apiKeys.id, keyOrigins.keyId))
        .innerJoin(users, eq(users.id, apiKeys.userId))
        .where(and(isOrigin, isWorkingKey(apiKeys, nowMs), isNull(users.suspendedAtMs)))
      return hasRows(found.limit(1))
    },

    async list() {
      return db
        .select({ ...columns, email: users.email })
        .from(apiKeys)
        .innerJoin(users, eq(users.id, apiKeys.userId))
        .where(isListed)
        .orderBy(asc(apiKeys.createdAtMs), asc(apiKeys.id))
    },

    async listOf(userId, nowMs, page) {
      const isOfUser = and(eq(apiKeys.userId, userId), page && isListed)
      const workingFirst = sql`${isWorkingKey(apiKeys, nowMs)} DESC`
      const all = select(db, isOfUser).orderBy(workingFirst, desc(apiKeys.createdAtMs), desc(apiKeys.id))
      const active = sql`count(*) FILTER (WHERE ${isCountedKey(apiKeys, nowMs)})`.mapWith(Number)
      const [keys, [counted]] = await Promise.all([
        page === undefined ? all : all.limit(page.limit).offset(page.offset),
        db.select({ total: count(), active }).from(apiKeys).where(isOfUser),
      ])
      return { keys, ...counted! }
    },

    find: (id) => firstRow(select(db, eq(apiKeys.id, id))),

    findOf: (userId, id) => firstRow(select(db, hasOwner(userId, id))),

    async listRejected(userId, { sinceMs, replacedSinceMs, limit }) {
      const { lastRejectedAtMs, replacedById } = apiKeys
      const isRecent = or(
        gte(lastRejectedAtMs, replacedSinceMs),
        and(isNull(replacedById), gte(lastRejectedAtMs, sinceMs)),
      )
      const rejected = select(db, and(eq(apiKeys.userId, userId), isRecent))
      return rejected.orderBy(desc(lastRejectedAtMs), desc(apiKeys.id)).limit(limit)
    },
  }
}

export function sqlKeyWrites({ tables, atomically, withLocks, sweep }: Dialect<AccountTables>): KeyWrites {
  const { apiKeys, keyOrigins } = tables
  const { columns, isListed, hasOwner, select } = keyStatements(tables)

  function* countOf(tx: Drizzle, userId: string, filter: SQL | undefined): Steps<number> {
    const isCounted = and(eq(apiKeys.userId, userId), filter)
    const [counted] = yield* run(tx.select({ count: count() }).from(apiKeys).where(isCounted))
    return counted!.count
  }

  function* hasTooManyRecent(tx: Drizzle, userId: string, recent: readonly RecentKeys[] = []): Steps<boolean> {
    for (const { max, sinceMs } of recent) {
      if ((yield* countOf(tx, userId, and(isListed, gte(apiKeys.createdAtMs, sinceMs)))) >= max) return true
    }
    return false
  }

  /** Makes room for a key. Keeps the user's earlier keys, and `keptId`. */
  function* deleteNewestEnded(tx: Drizzle, userId: string, keptId: string, nowMs: number) {
    const isOther = and(eq(apiKeys.userId, userId), ne(apiKeys.id, keptId))
    const isEnded = and(isOther, isListed, not(isWorkingKey(apiKeys, nowMs)!))
    const ended = select(tx, isEnded).orderBy(desc(apiKeys.createdAtMs), desc(apiKeys.id))
    const [newest] = yield* run(ended.limit(1))
    if (!newest) return
    yield* run(tx.update(apiKeys).set({ deletedAtMs: nowMs }).where(eq(apiKeys.id, newest.id)))
    const deleted = select(tx, and(isOther, not(isListed))).orderBy(desc(apiKeys.deletedAtMs))
    const [oldest] = yield* run(deleted.limit(1).offset(MAX_DELETED))
    if (oldest) yield* run(tx.delete(apiKeys).where(eq(apiKeys.id, oldest.id)))
  }

  /** Replaces the rows with the origins of a key. */
  function* storeOrigins(tx: Drizzle, { id: keyId, allowedOrigins }: Pick<ApiKey, 'id' | 'allowedOrigins'>) {
    yield* run(tx.delete(keyOrigins).where(eq(keyOrigins.keyId, keyId)))
    const rows = allowedOrigins.map((origin) => ({ origin, keyId }))
    if (rows.length > 0) yield* run(tx.insert(keyOrigins).values(rows))
  }

  return {
    create(key, maxActive, recent, audit) {
      return atomically(function* (tx) {
        const [known] = yield* run(tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, key.id)))
        if (known) return 'repeated'
        const active = yield* countOf(tx, key.userId, isCountedKey(apiKeys, key.createdAtMs))
        if (active >= maxActive) return 'too_many'
        if (yield* hasTooManyRecent(tx, key.userId, recent)) return 'too_many_recent'
        yield* run(tx.insert(apiKeys).values(key))
        yield* storeOrigins(tx, key)
        yield* recordAudit(tx, tables, key, audit)
        return 'created'
      })
    },

    rotate(id, successor, endsAtMs, recent, audit, maxActive = 0) {
      const { userId, createdAtMs: nowMs } = successor
      return atomically(function* (tx) {
        const isFull = yield* hasTooManyRecent(tx, userId, recent)
        if (isFull && endsAtMs > nowMs) return 'too_many_recent'
        const hasRoom = (yield* countOf(tx, userId, isCountedKey(apiKeys, nowMs))) < maxActive
        const isUnreplaced = and(isListed, isNull(apiKeys.replacedById))
        // A key without an expiry gets `endsAtMs`, because a comparison with null is not true.
        const earlier = sql`CASE WHEN ${apiKeys.expiresAtMs} < ${endsAtMs} THEN ${apiKeys.expiresAtMs} ELSE ${endsAtMs} END`
        const replacement = tx
          .update(apiKeys)
          .set({ replacedById: successor.id, expiresAtMs: earlier })
          .where(and(hasOwner(userId, id), hasRoom ? isUnreplaced : isCountedKey(apiKeys, nowMs)))
        const [replaced] = yield* run(replacement.returning({ id: apiKeys.id }))
        if (!replaced) return 'inactive'
        if (isFull) yield* deleteNewestEnded(tx, userId, id, nowMs)
        yield* run(tx.insert(apiKeys).values(successor))
        yield* storeOrigins(tx, successor)
        yield* recordAudit(tx, tables, successor, audit)
        return 'rotated'
      })
    },

    update(userId, id, changes, nowMs, audit) {
      const filter = and(hasOwner(userId, id), isCountedKey(apiKeys, nowMs))
      const hasChanges = Object.keys(changes).length > 0
      return atomically(function* (tx) {
        const [key] = yield* run<ApiKey[]>(
          hasChanges ? tx.update(apiKeys).set(changes).where(filter).returning(columns) : select(tx, filter),
        )
        if (!key) return null
        if (changes.allowedOrigins) yield* storeOrigins(tx, key)
        yield* recordAudit(tx, tables, undefined, audit)
        return key
      })
    },

    deactivate(userId, id, atMs, audit) {
      const filter = hasOwner(userId, id)
      return atomically(function* (tx) {
        const isActive = and(filter, isNull(apiKeys.deactivatedAtMs))
        const deactivation = tx.update(apiKeys).set({ deactivatedAtMs: atMs }).where(isActive)
        const [changed] = yield* run(deactivation.returning(columns))
        if (changed) {
          yield* recordAudit(tx, tables, changed, audit)
          return { key: changed, hasChanged: true }
        }
        const [key] = yield* run(select(tx, filter))
        return key ? { key, hasChanged: false } : null
      })
    },

    sweep(endedBeforeMs) {
      const { deactivatedAtMs, expiresAtMs } = apiKeys
      // An expired key may be deactivated later. The earlier end counts.
      return sweep(apiKeys, or(lt(deactivatedAtMs, endedBeforeMs), lte(expiresAtMs, endedBeforeMs)))
    },

    countRejected(rejected) {
      const { rejectedRequests, firstRejectedAtMs } = apiKeys
      return withLocks(function* (tx) {
        const known: RejectedRequests[] = []
        for (const row of rejected) {
          const changes = {
            rejectedRequests: sql`${rejectedRequests} + ${row.count}`,
            firstRejectedAtMs: sql`coalesce(${firstRejectedAtMs}, ${row.firstAtMs})`,
            lastRejectedAtMs: row.lastAtMs,
          }
          const counted = tx.update(apiKeys).set(changes).where(eq(apiKeys.id, row.keyId))
          if ((yield* run(counted.returning({ id: apiKeys.id }))).length > 0) known.push(row)
        }
        return known
      })
    },
  }
}
