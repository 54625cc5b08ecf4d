import type { Columns } from '../sqlite/columns.ts'

export type CacheTables = ReturnType<typeof cacheTables>

/** The tables of the cache that SQLite and PostgreSQL have in common. */
export function cacheTables({ table, text, time, index }: Columns) {
  /** Hosts whose last pages needed a browser. */
  const renderedHosts = table(
    'rendered_hosts',
    { host: text().primaryKey(), confirmedAtMs: time('confirmed_at').notNull() },
    (t) => [index('rendered_hosts_age').on(t.confirmedAtMs)],
  )
  return { renderedHosts }
}
