import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'

/** One parameter however many values there are: the statement stays the same, so that the server prepares it once. */
export function isAmong(column: SQLWrapper, values: readonly string[]): SQL {
  return sql`${column} IN (SELECT jsonb_array_elements_text(${JSON.stringify(values)}::text::jsonb))`
}
