import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Config } from '../../config.ts'
import { maskedDatabaseUrl, sqliteFile } from '../../config/database.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import { STORE_FAULTS, StoreError } from '../../core/store-fault.ts'
import { replaceFile } from '../../store/files/durable-file.ts'
import { createPrivateFile } from '../../store/files/private-file.ts'
import { exportText } from '../../store/transfer/export.ts'
import { importText } from '../../store/transfer/import.ts'
import { openPostgresTransaction } from '../../store/transfer/postgres.ts'
import { openSqliteTransaction } from '../../store/transfer/sqlite.ts'
import { VERSION } from '../../version.ts'
import { backupSource, backupTarget } from './backup-paths.ts'
import { lockDataDir, noDatabaseIn } from './data-dir.ts'
import { requireNotMoved } from './move-record.ts'

/** Stands for standard output or input instead of a file. */
const STANDARD_STREAM = '-'

export interface TransferOptions {
  /** Cancels the command, which then changes nothing. */
  signal: AbortSignal
  /** Called with the number of rows or bytes that are done, and their total; the total is null if it is unknown. */
  onProgress: (done: number, total: number | null) => void
}

/**
 * Writes all rows of the database to `file`, or to standard output, as `exportText` does, while a server runs or not. An
 * existing export is replaced once the new one is complete. Returns the size of the file in bytes; null for standard output.
 * @throws AppError
 */
export async function exportTo(config: Config, file: string, { signal, onProgress }: TransferOptions) {
  const { database, dataDir } = config
  const fail = (why: string) => new AppError('internal', `Cannot export to ${file}: ${why}`)
  try {
    requireNotMoved(config)
    if (database.kind === 'SQLite' && !existsSync(database.file)) throw new Error(noDatabaseIn(config))
    const target = file === STANDARD_STREAM ? null : await backupTarget(file, sqliteFile(dataDir), 'an export')
    await using source = await openTransaction(config, 'export')
    const text = exportText(source, { version: VERSION, exportedAtMs: Date.now() }, onProgress)
    if (target === null) await pipeline(text, process.stdout, { signal, end: false })
    else await writeFile(text, target, signal)
    return target === null ? null : statSync(target).size
  } catch (error) {
    throw fail(signal.aborted ? 'it was interrupted' : reasonOf(error))
  }
}

/** Writes to a file beside `target`, which then replaces it. */
async function writeFile(text: AsyncIterable<string>, target: string, signal: AbortSignal): Promise<void> {
  const draft = `${target}.${process.pid}.partial`
  try {
    createPrivateFile(draft)
    await pipeline(text, createWriteStream(draft), { signal })
    replaceFile(draft, target)
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Reads an export from `file`, or from standard input, into the database, which must be empty. All rows are committed at
 * once, after they are verified.
 * @throws AppError
 */
export async function importFrom(config: Config, file: string, { signal, onProgress }: TransferOptions) {
  const { database, dataDir } = config
  const place = database.kind === 'SQLite' ? database.file : maskedDatabaseUrl(database.url)
  const fail = (why: string) => new AppError('internal', `Cannot import ${file} into ${place}: ${why}`)
  try {
    const path = file === STANDARD_STREAM ? null : backupSource(file, sqliteFile(dataDir))
    using _ = database.kind === 'SQLite' ? lockDataDir(config, 'replace') : null
    requireNotMoved(config)
    await using target = await openTransaction(config, 'import')
    const input = addAbortSignal(signal, path === null ? process.stdin : createReadStream(path))
    const size = path === null ? null : statSync(path).size
    const tables = await importText(input.setEncoding('utf8'), target, () => onProgress(input.bytesRead, size))
    await target.commit()
    return tables
  } catch (error) {
    if (error instanceof AppError) throw error
    throw fail(signal.aborted ? 'it was interrupted' : reasonOf(error))
  }
}

async function openTransaction({ database }: Config, command: 'export' | 'import') {
  return database.kind === 'SQLite'
    ? openSqliteTransaction(database.file, command)
    : await openPostgresTransaction(database.url, command)
}

/**
 * The reason of a failure, for an error message. The message of drizzle's errors has the whole statement and all its
 * values, so that of the cause is used.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof StoreError) return `${error.message}. ${STORE_FAULTS[error.fault].remedy}`
  return error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : messageOf(error)
}
