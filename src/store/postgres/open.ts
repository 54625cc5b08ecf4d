import { type SQL, sql } from 'drizzle-orm'

import { MAX_RENDERED_HOSTS } from '../../core/limits.ts'
import type { FoundResult } from '../../core/state-ports.ts'
import type { Stores } from '../stores.ts'
import { postgresUsageAlerts } from '../sql/alerts.ts'
import { postgresAuditLog } from '../sql/audit-log.ts'
import { batchedLookup } from './batched-lookup.ts'
import { postgresIdentities } from '../sql/identities.ts'
import { ownerOf, postgresKeys } from '../sql/keys.ts'
import { applyMigrations } from './migrations.ts'
import { openPool } from './pool.ts'
import { postgresProbe } from './probe.ts'
import { postgresRenderedHosts } from '../sql/rendered-hosts.ts'
import { postgresRequestLog } from './request-log.ts'
import { postgresResults } from './results.ts'
import { postgresSessions } from '../sql/sessions.ts'
import { postgresTickets } from '../sql/tickets.ts'
import { postgresDeletedAccountUsage } from '../sql/usage-deleted-accounts.ts'
import type { Drizzle } from './schema.ts'
import { requireNoUnfinishedMove } from './unfinished-move.ts'
import { postgresUsageHistory } from '../sql/usage-history.ts'
import { postgresMetering } from './usage-metering.ts'
import { sweepReservations } from './usage-reservations.ts'
import { postgresUsers } from '../sql/users.ts'

/** All stores in a PostgreSQL database. The caller disposes them. */
export interface PostgresStores extends Stores, AsyncDisposable {
  /** Releases the reserved quota units of processes whose lease has expired; returns their number. */
  sweepReservations(): Promise<number>
  /** The clock of the server, in Unix milliseconds. */
  now(): Promise<number>
  /** The size of the database in bytes. */
  bytes(): Promise<number>
}

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` */
  url: string
  maxResults: number
  /** `MAX_RENDERED_HOSTS` by default. */
  maxRenderedHosts?: number
  /** The deadline of a call in milliseconds; by default that of `openPool`. */
  callDeadlineMs?: number
}

/**
 * Connects to the database and brings its schema up to date. Any number of processes can use one database.
 * @throws StoreError when the database cannot be reached or is not one of this version
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStores> {
  const { url, maxResults, maxRenderedHosts = MAX_RENDERED_HOSTS, callDeadlineMs } = options
  await applyMigrations(url)
  await using stack = new AsyncDisposableStack()
  const pool = stack.use(openPool(url, callDeadlineMs))
  const { db, guard } = pool
  await guard({ requireNoUnfinishedMove: () => requireNoUnfinishedMove(db) }).requireNoUnfinishedMove()
  const { findAllActive, ...keys } = guard(postgresKeys(db))
  const findOwner = batchedLookup({ readAll: findAllActive, endOfTurn: setImmediate })
  const { getAll, ...results } = guard(postgresResults(db, maxResults))
  const findResult = batchedLookup({ readAll: getAll, endOfTurn: setImmediate })
  const owned = stack.move()
  return {
    users: guard(postgresUsers(db)),
    identities: guard(postgresIdentities(db)),
    sessions: guard(postgresSessions(db)),
    tickets: guard(postgresTickets(db)),
    audit: guard(postgresAuditLog(db)),
    keys: {
      ...keys,
      async findActive(hash) {
        const found = await findOwner(hash)
        return found && ownerOf(found)
      },
    },
    usage: {
      ...postgresMetering(pool, Bun.randomUUIDv7()),
      ...guard(postgresUsageHistory(db)),
      ...guard(postgresDeletedAccountUsage(db)),
    },
    requestLog: guard(postgresRequestLog(db)),
    alerts: guard(postgresUsageAlerts(db)),
    renderedHosts: guard(postgresRenderedHosts(db, maxRenderedHosts)),
    results: {
      ...results,
      async get(cacheKey): Promise<FoundResult | null> {
        const found = await findResult(cacheKey)
        return found && { ...found, layer: 'database' }
      },
    },
    ...guard({
      ping: postgresProbe(db),
      sweepReservations: () => sweepReservations(db),
      now: () => numberOf(db, sql`round(extract(epoch FROM now()) * 1000)`),
      bytes: () => numberOf(db, sql`pg_database_size(current_database())`),
    }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function numberOf(db: Drizzle, expression: SQL): Promise<number> {
  const [row] = (await db.execute(sql`SELECT ${expression} AS number`)) as unknown as { number: string }[]
  return Number(row!.number)
}
