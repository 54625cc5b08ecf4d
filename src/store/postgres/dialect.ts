import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'

/** Uses a single parameter for any number of values, so that the server prepares the statement only once. */
export function isAmong(column: SQLWrapper, values: readonly string[]): SQL {
  return sql`${column} IN (SELECT jsonb_array_elements_text(${JSON.stringify(values)}::text::jsonb))`
}
