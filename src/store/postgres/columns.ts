import { bigint, customType } from 'drizzle-orm/pg-core'

// The types of columns that several tables of schema.ts have.

/** Unix milliseconds. */
export const time = (name: string) => bigint(name, { mode: 'number' })

/** A number of requests. */
export const amount = (name: string) => bigint(name, { mode: 'number' })

/** A JSON array of text, as in SQLite. It is never searched, so `jsonb` would have no advantage. */
export const textArray = customType<{ data: readonly string[]; driverData: string }>({
  dataType: () => 'text',
  toDriver: (texts) => JSON.stringify(texts),
  fromDriver: (json) => JSON.parse(json) as string[],
})
