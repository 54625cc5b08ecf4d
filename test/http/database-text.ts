import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The bytes of the open database in a data directory, with its write-ahead log, as text to search in. */
export function databaseText(dataDir: string): string {
  return ['urlmeta.db', 'urlmeta.db-wal'].map((name) => readFileSync(join(dataDir, name), 'latin1')).join('')
}
