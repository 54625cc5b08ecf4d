import type { BunSQLQueryResultHKT } from 'drizzle-orm/bun-sql'
import type { PgDatabase } from 'drizzle-orm/pg-core'

import { cacheTables } from '../sql/cache-tables.ts'
import { accountTables } from '../sql/tables.ts'
import { postgresColumns } from './columns.ts'

/** An open database, or a transaction in it. */
export type Drizzle = PgDatabase<BunSQLQueryResultHKT>

/** All tables except usage. */
export const tables = { ...accountTables(postgresColumns), ...cacheTables(postgresColumns, 'key_hash') }
