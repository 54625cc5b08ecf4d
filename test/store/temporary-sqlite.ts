import { onTestFinished } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openSqlite } from '../../src/store/sqlite/open.ts'

/** The path of a database that does not exist yet. Its folder is deleted after the current test. */
export function temporaryDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'urlmeta-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'urlmeta.db')
}

/** Opens an empty database. */
export const openTemporary = (options: Parameters<typeof openSqlite>[1]) => openSqlite(temporaryDatabase(), options)
