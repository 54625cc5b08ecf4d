import { type SQL, sql } from 'drizzle-orm'

import { StoreError } from '../../core/store-fault.ts'
import type { Deadlines } from '../deadline.ts'
import { ownerOf, sqlKeyReads, sqlKeyWrites } from '../sql/keys.ts'
import { sqlRenderedHosts } from '../sql/rendered-hosts.ts'
import { sqlRequestLog } from '../sql/request-log.ts'
import { sqlStores } from '../sql/stores.ts'
import { sqlUserReads, sqlUserWrites } from '../sql/users.ts'
import { batchedLookup } from './batched-lookup.ts'
import { postgresDialect } from './dialect.ts'
import { applyMigrations } from './migrations.ts'
import { openPool } from './pool.ts'
import { postgresProbe } from './probe.ts'
import { postgresRequestLog } from './request-log.ts'
import { postgresResults } from './results.ts'
import { type Drizzle, tables } from './schema.ts'
import { postgresUsage } from './usage.ts'
import { sweepReservations } from './usage-reservations.ts'

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` */
  url: string
  maxResults: number
  /** Default: `REQUEST_DEADLINES`. */
  deadlines?: Deadlines | undefined
  /** All connections are opened at once. Default: `MAX_CONNECTIONS`. */
  maxConnections?: number
}

/**
 * Connects to the database and brings its schema up to date. Any number of processes can use one database. The caller
 * disposes the stores.
 * @throws StoreError if the database cannot be reached, or if this version cannot use it
 */
export async function openPostgres({ url, maxResults, deadlines, maxConnections }: PostgresOptions) {
  const { settings, isReadOnly } = await applyMigrations(url)
  if (isReadOnly) throw new StoreError('read_only_user')
  const pool = openPool(url, deadlines, settings, maxConnections)
  const { db, guard } = pool
  const dialect = postgresDialect(db, tables)
  const { findOwners, ...keys } = guard({ ...sqlKeyReads(dialect), ...sqlKeyWrites(dialect) })
  const findOwner = batchedLookup(findOwners, setImmediate)
  const { getAll, ...results } = guard(postgresResults(db, dialect, maxResults))
  const usage = postgresUsage(pool, Bun.randomUUIDv7())
  return {
    ...sqlStores(dialect, guard),
    users: guard({ ...sqlUserReads(dialect), ...sqlUserWrites(dialect) }),
    keys: { ...keys, findOwner: async (hash: string) => ownerOf(await findOwner(hash)) },
    usage,
    requestLog: guard({ ...sqlRequestLog(dialect), ...postgresRequestLog(db) }),
    renderedHosts: guard(sqlRenderedHosts(dialect)),
    results: { ...results, get: batchedLookup(getAll, setImmediate) },
    ...guard({
      /** Releases the reserved quota units of processes whose lease has expired; returns their number. */
      sweepReservations: () => sweepReservations(db),
      ping: postgresProbe(db),
      /** The clock of the server, in Unix milliseconds. */
      now: () => numberOf(db, sql`round(extract(epoch FROM now()) * 1000)`),
      bytes: () => numberOf(db, sql`pg_database_size(current_database())`),
    }),
    setUrl: pool.setUrl,
    async [Symbol.asyncDispose]() {
      await usage[Symbol.asyncDispose]()
      await pool[Symbol.asyncDispose]()
    },
  }
}

async function numberOf(db: Drizzle, expression: SQL): Promise<number> {
  const [row] = await db.execute<{ number: string }>(sql`SELECT ${expression} AS number`)
  return Number(row!.number)
}
