import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import type { Config } from '../../config.ts'
import { maskedDatabaseUrl, sqliteFile } from '../../config/database.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import { STORE_FAULTS, StoreError } from '../../core/store-fault.ts'
import { copyTables, type MoveProgress } from '../../store/move/move.ts'
import { openMoveSource } from '../../store/move/source.ts'
import { openMoveTarget } from '../../store/move/target.ts'
import { lockDataDir } from './data-dir.ts'
import { moveStateOf, removeMoveRecord, writeMoveRecord } from './move-record.ts'
import { openSecret, SECRET_FILE } from './secret.ts'

export type Moved = Awaited<ReturnType<typeof moveToPostgres>>

/**
 * Copies the database in the data directory to an empty PostgreSQL database and verifies the copy. After that, the data
 * directory can no longer be used. An interrupted move changes neither database.
 * @throws AppError when a server runs, a database cannot be used, the target has data, or the move is interrupted
 */
export async function moveToPostgres(config: Config, url: string, progress: MoveProgress) {
  const startedAtMs = performance.now()
  const from = sqliteFile(config.dataDir)
  const to = maskedDatabaseUrl(url)
  const fail = (why: string, cause?: unknown) =>
    new AppError('internal', `Cannot move ${from} to ${to}: ${why}`, { cause })
  if (!existsSync(from)) throw fail(`there is no database in ${config.dataDir} (URLMETA_DATA_DIR)`)
  using _ = lockDataDir(config, 'replace')
  const earlier = moveStateOf(config)
  if (earlier !== null && !earlier.isUnfinished) throw fail(`${earlier.text}. ${earlier.remedy}`)
  const record = { to, started_at: new Date().toISOString(), finished_at: null }
  const secret = secretToSet(config)
  // A move that was killed may have been committed just before.
  let mayBeCommitted = earlier !== null
  try {
    await using target = await openMoveTarget(url)
    // Written before the database is locked: commands that open it later find the record, and locking waits for others.
    writeMoveRecord(config, record)
    using source = openMoveSource(from)
    const tables = await copyTables(source, target, progress)
    // An error of the commit does not say whether the server has completed it.
    mayBeCommitted = true
    await target.commit()
    writeMoveRecord(config, { ...record, finished_at: new Date().toISOString() })
    return { from, to, tables, secret, tookMs: Math.round(performance.now() - startedAtMs) }
  } catch (error) {
    if (progress.signal.aborted) throw fail('interrupted. Run the same command again.', error)
    if (error instanceof StoreError) throw fail(`${error.message}. ${STORE_FAULTS[error.fault].remedy}`, error)
    throw fail(messageOf(rootCause(error)), error)
  } finally {
    if (!mayBeCommitted) removeMoveRecord(config)
  }
}

/** The original database error, because drizzle's error contains the whole statement and all rows. */
function rootCause(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootCause(error.cause) : error
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
