import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The bytes of the database in a data directory, also those that are not checkpointed yet, as text to search in. */
export function databaseText(dataDir: string): string {
  const files = ['urlmeta.db', 'urlmeta.db-wal'].map((name) => join(dataDir, name)).filter((path) => existsSync(path))
  return files.map((path) => readFileSync(path, 'latin1')).join('')
}
