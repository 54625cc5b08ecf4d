import { Database } from 'bun:sqlite'

import { IN_MEMORY } from './database-file.ts'

/** `/readyz` is public, so requests within this time get the result of the same check. */
const REUSED_MS = 1_000

/**
 * Checks the database file at `path`: a new connection, which has no page in memory, reads the first row of every table
 * and writes one row. A full disk, a deleted directory, overwritten tables and a lock held by another process fail here
 * as they fail for requests. `check` throws when the file must not be opened.
 */
export function sqliteProbe(path: string, check: () => void = () => {}): () => Promise<void> {
  if (path === IN_MEMORY) return async () => {}
  let last = { atMs: Number.NEGATIVE_INFINITY, error: null as unknown }
  return async () => {
    if (performance.now() - last.atMs >= REUSED_MS) {
      let error: unknown = null
      try {
        check()
        readAndWrite(path)
      } catch (thrown) {
        error = thrown
      }
      last = { atMs: performance.now(), error }
    }
    if (last.error !== null) throw last.error
  }
}

function readAndWrite(path: string) {
  // Without `create`, because a deleted file must not be replaced by an empty one.
  using database = new Database(path, { readwrite: true, create: false, strict: true })
  const tables = database.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  for (const { name } of tables) database.query(`SELECT * FROM "${name}" LIMIT 1`).get()
  database.run('INSERT INTO probe (id, at) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET at = ?1', [Date.now()])
}
