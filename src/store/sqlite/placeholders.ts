import { type Placeholder, sql } from 'drizzle-orm'

/** A placeholder of each of these names, for a prepared statement. */
export function placeholders<Name extends string>(...names: readonly Name[]): { [N in Name]: Placeholder<N> } {
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as { [N in Name]: Placeholder<N> }
}
