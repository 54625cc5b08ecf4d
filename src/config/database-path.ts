import { join } from 'node:path'

/** The path of the SQLite database, which may not exist yet. */
export function databasePath({ dataDir }: { dataDir: string }): string {
  return join(dataDir, 'urlmeta.db')
}
