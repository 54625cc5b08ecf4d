import { bigint, boolean, check, customType, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'

import type { Columns } from '../sqlite/columns.ts'

const int = (name = '') => bigint(name, { mode: 'number' })

/** Typed as columns of SQLite, because both databases return the same values; see `Drizzle` in `sql/dialect.ts`. */
export const postgresColumns = {
  table: pgTable,
  text,
  int,
  bool: boolean,
  // These columns are never searched, so `jsonb` would have no advantage.
  json: customType<{ data: readonly string[]; driverData: string }>({
    dataType: () => 'text',
    toDriver: (texts) => JSON.stringify(texts),
    fromDriver: (json) => JSON.parse(json) as string[],
  }),
  time: int,
  sequence: () => int().primaryKey().generatedByDefaultAsIdentity(),
  primaryKey,
  index,
  uniqueIndex,
  check,
} as unknown as Columns
