import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { type Config, databasePath } from '../config.ts'
import { maskedDatabaseUrl } from '../config/database-url.ts'
import { AppError, messageOf } from '../core/errors.ts'
import { STORE_FAULTS, StoreError } from '../core/store-fault.ts'
import { CopyDiffersError, moveTables, type MovedRows } from '../store/move/move.ts'
import { openMoveSource } from '../store/move/source.ts'
import { openMoveTarget, TargetInUseError } from '../store/move/target.ts'
import { lockDataDir } from './data-dir.ts'
import { movedAway, removeMoveRecord, writeMoveRecord, type MoveRecord } from './move-record.ts'
import { openSecret, SECRET_FILE } from './secret.ts'

export interface Moved {
  /** The path of the database that was moved. */
  from: string
  /** The URL without its password. */
  to: string
  tables: readonly MovedRows[]
  /** Whether an earlier, interrupted move was continued. */
  isContinued: boolean
  secret: SecretToSet
  tookMs: number
}

/** The source of the value for URLMETA_SECRET, which every process of the new installation needs. */
export interface SecretToSet {
  /** The absolute path of the file that contains the value; null when URLMETA_SECRET is already set. */
  file: string | null
  /** Whether URLMETA_SECRET differs from the secret in the data directory. */
  isOtherInFile: boolean
}

export interface MoveProgress {
  signal: AbortSignal
  onRows: (done: number, total: number) => void
  onTable: (table: string, step: 'copied' | 'verified', rows: number) => void
}

const CONTINUE = 'Run the same command again to continue'

/**
 * Copies the database in the data directory to an empty PostgreSQL database and verifies the copy. After that, the data
 * directory can no longer be used. A repeated call continues an interrupted move.
 * @throws AppError when a server runs, a database cannot be used, the target has other data, or the move is interrupted
 */
export async function moveToPostgres(config: Config, url: string, progress: MoveProgress): Promise<Moved> {
  const startedAtMs = performance.now()
  const from = databasePath(config)
  const to = maskedDatabaseUrl(url)
  const fail = (why: string, cause?: unknown) =>
    new AppError('internal', `Cannot move ${from} to ${to}: ${why}`, { cause })
  if (!existsSync(from)) throw fail(`there is no database in ${config.dataDir} (URLMETA_DATA_DIR)`)
  using _ = lockDataDir(config, 'replace')
  const earlier = unfinishedMove(config, fail)
  const record = earlier ?? newRecord(to)
  const secret = secretToSet(config)
  // The record is only needed once the target has stored the id of this move.
  let isRecordNeeded = earlier !== null
  let isContinued = false
  try {
    await using target = await openMoveTarget(url)
    // Written before the database is locked: commands that open it later find the record, and locking waits for others.
    writeMoveRecord(config, { ...record, to })
    using source = openMoveSource(from)
    isRecordNeeded = true
    const tables = await moveTables(source, target, {
      ...progress,
      moveId: record.id,
      onBegin: (isContinuing) => void (isContinued = isContinuing),
    })
    writeMoveRecord(config, { ...record, to, finished_at: new Date().toISOString() })
    return { from, to, tables, isContinued, secret, tookMs: Math.round(performance.now() - startedAtMs) }
  } catch (error) {
    if (progress.signal.aborted) throw fail(`interrupted. ${CONTINUE}.`, error)
    if (error instanceof TargetInUseError) {
      isRecordNeeded = earlier !== null
      throw fail(error.message, error)
    }
    if (error instanceof CopyDiffersError) {
      throw fail(
        `${error.message}. Make sure that no server uses that database, recreate it (dropdb, createdb), and try again`,
        error,
      )
    }
    if (error instanceof StoreError) {
      const { remedy } = STORE_FAULTS[error.fault]
      throw fail(`${error.message}. ${remedy}${isRecordNeeded ? ` ${CONTINUE}.` : ''}`, error)
    }
    throw fail(`${messageOf(rootCause(error))}. ${CONTINUE}.`, error)
  } finally {
    if (!isRecordNeeded) removeMoveRecord(config)
  }
}

/** The original database error, because drizzle's error contains the whole statement and all rows. */
function rootCause(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootCause(error.cause) : error
}

/** The record of an interrupted move; null when there is none. @throws AppError when the database was already moved */
function unfinishedMove(config: Config, fail: (why: string) => AppError): MoveRecord | null {
  const moved = movedAway(config)
  if (moved === null) return null
  if (moved.unfinished === null) throw fail(`${moved.text}. ${moved.remedy}`)
  return moved.unfinished
}

function newRecord(to: string): MoveRecord {
  return { id: Bun.randomUUIDv7(), to, started_at: new Date().toISOString(), finished_at: null }
}

/**
 * The secret must stay the same: it signs sign-in forms, and it is the key of the hashes that identify deleted accounts.
 */
function secretToSet(config: Config): SecretToSet {
  const path = resolve(config.dataDir, SECRET_FILE)
  if (config.secret === null) {
    openSecret(config)
    return { file: path, isOtherInFile: false }
  }
  const isOtherInFile = existsSync(path) && readFileSync(path, 'utf8').trim() !== config.secret
  return { file: null, isOtherInFile }
}
