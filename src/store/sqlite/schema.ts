import { accountTables } from '../sql/tables.ts'
import { sqliteColumns } from './columns.ts'

/** All tables except usage and the cache. */
export const tables = accountTables(sqliteColumns)
