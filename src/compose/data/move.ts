import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import type { Config } from '../../config.ts'
import { maskedDatabaseUrl, sqliteFile } from '../../config/database.ts'
import { AppError } from '../../core/errors.ts'
import { exportText } from '../../store/transfer/export.ts'
import { importText } from '../../store/transfer/import.ts'
import { openPostgresTransaction } from '../../store/transfer/postgres.ts'
import { openSqliteTransaction } from '../../store/transfer/sqlite.ts'
import { VERSION } from '../../version.ts'
import { lockDataDir, noDatabaseIn } from './data-dir.ts'
import { moveStateOf, removeMoveRecord, writeMoveRecord } from './move-record.ts'
import { openSecret, SECRET_FILE } from './secret.ts'
import { reasonOf, type TransferOptions } from './transfer.ts'

export type Moved = Awaited<ReturnType<typeof moveToPostgres>>

/**
 * Exports the database in the data directory and imports it into an empty PostgreSQL database. After that, the data
 * directory can no longer be used. An interrupted move changes neither database.
 * @throws AppError when a server runs, a database cannot be used, the target has data, or the move is interrupted
 */
export async function moveToPostgres(config: Config, url: string, { signal, onProgress }: TransferOptions) {
  const startedAtMs = performance.now()
  const from = sqliteFile(config.dataDir)
  const to = maskedDatabaseUrl(url)
  const fail = (why: string, cause?: unknown) =>
    new AppError('internal', `Cannot move ${from} to ${to}: ${why}`, { cause })
  if (!existsSync(from)) throw fail(noDatabaseIn(config))
  using _ = lockDataDir(config, 'replace')
  const earlier = moveStateOf(config)
  if (earlier !== null && !earlier.isUnfinished) throw fail(`${earlier.text}. ${earlier.remedy}`)
  const record = { to, started_at: new Date().toISOString(), finished_at: null }
  const secret = secretToSet(config)
  // A move that was killed may have been committed just before.
  let mayBeCommitted = earlier !== null
  try {
    await using target = await openPostgresTransaction(url, 'move')
    // Written before the database is locked: commands that open it later find the record, and locking waits for others.
    writeMoveRecord(config, record)
    using source = openSqliteTransaction(from, 'move')
    const text = exportText(source, { version: VERSION, exportedAtMs: Date.now() }, onProgress)
    const tables = await importText(text, target, () => signal.throwIfAborted())
    // An error of the commit does not say whether the server has completed it.
    mayBeCommitted = true
    await target.commit()
    writeMoveRecord(config, { ...record, finished_at: new Date().toISOString() })
    return { from, to, tables, secret, tookMs: Math.round(performance.now() - startedAtMs) }
  } catch (error) {
    throw fail(signal.aborted ? 'interrupted. Run the same command again.' : reasonOf(error), error)
  } finally {
    if (!mayBeCommitted) removeMoveRecord(config)
  }
}

/**
 * The absolute path of the file with the value for URLMETA_SECRET, which every process of the new installation needs; null
 * when it is already set, and whether it then differs from the file. The secret must stay the same: it signs sign-in
 * forms, and it is the key of the hashes that identify deleted accounts.
 */
function secretToSet(config: Config): { file: string | null; isOtherInFile: boolean } {
  const path = resolve(config.dataDir, SECRET_FILE)
  if (config.secret === null) {
    openSecret(config)
    return { file: path, isOtherInFile: false }
  }
  const isOtherInFile = existsSync(path) && readFileSync(path, 'utf8').trim() !== config.secret
  return { file: null, isOtherInFile }
}
