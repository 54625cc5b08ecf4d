import type { Columns } from '../sqlite/columns.ts'

export type CacheTables = ReturnType<typeof cacheTables>

/** @param keyColumn the name of the primary key of the results, which are stored under a hash in PostgreSQL */
export function cacheTables({ table, text, time, index }: Columns, keyColumn: 'cache_key' | 'key_hash') {
  /** Results by cache key: `Target.cacheKey`. */
  const results = table(
    'results',
    {
      /**
       * In PostgreSQL, the `hashedCacheKey` in lower-case hex, because a URL can exceed the size limit of an index
       * entry.
       */
      cacheKey: text(keyColumn).primaryKey(),
      json: text().notNull(),
      storedAtMs: time('stored_at').notNull(),
      details: text(),
    },
    (t) => [index('results_age').on(t.storedAtMs)],
  )

  /** Hosts whose last pages needed a browser. */
  const renderedHosts = table(
    'rendered_hosts',
    { host: text().primaryKey(), confirmedAtMs: time('confirmed_at').notNull() },
    (t) => [index('rendered_hosts_age').on(t.confirmedAtMs)],
  )

  return { results, renderedHosts }
}
