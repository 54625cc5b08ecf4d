import { Database } from 'bun:sqlite'

import { IN_MEMORY } from './database-file.ts'

/** `/readyz` is open to everybody: within this time all are told what the last look said. */
const REMEMBERED_MS = 1_000

/**
 * A look at the database file itself: a connection of its own, which has no page in memory, reads the first row of every
 * table and writes one. A full disk, a deleted directory, overwritten tables and a lock held by another process fail here
 * as they fail for requests. `checkPlace` throws when the file must not be opened.
 */
export function sqliteProbe(path: string, checkPlace: () => void = () => {}): () => Promise<void> {
  if (path === IN_MEMORY) return async () => {}
  let last = { atMs: Number.NEGATIVE_INFINITY, error: null as unknown }
  return async () => {
    if (performance.now() - last.atMs >= REMEMBERED_MS) {
      let error: unknown = null
      try {
        checkPlace()
        look(path)
      } catch (thrown) {
        error = thrown
      }
      last = { atMs: performance.now(), error }
    }
    if (last.error !== null) throw last.error
  }
}

function look(path: string) {
  // Without `create`: a deleted file must not come back empty.
  using database = new Database(path, { readwrite: true, create: false, strict: true })
  const tables = database.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  for (const { name } of tables) database.query(`SELECT * FROM ${name} LIMIT 1`).get()
  database.run('INSERT INTO probe (id, at) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET at = ?1', [Date.now()])
}
