import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { FixedConfig } from '../../config.ts'
import { messageOf } from '../../core/errors.ts'
import { replaceFile } from '../../store/files/durable-file.ts'

/** The record of a move in the data directory, written when the move starts. */
const RECORD_FILE = 'moved.json'

/** A move of the data directory's database to PostgreSQL. */
export interface MoveRecord {
  /** The URL without its password. */
  to: string
  /** ISO 8601. */
  started_at: string
  /** Null until everything is copied and verified. */
  finished_at: string | null
}

const moveRecordPath = ({ dataDir }: FixedConfig) => join(dataDir, RECORD_FILE)

export function writeMoveRecord(config: FixedConfig, record: MoveRecord): void {
  const path = moveRecordPath(config)
  const draft = `${path}.partial`
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
  replaceFile(draft, path)
}

export function removeMoveRecord(config: FixedConfig): void {
  rmSync(moveRecordPath(config), { force: true })
}

/**
 * Two servers on two copies of an installation would count usage separately, so the old database must not be used
 * again. Returns why, as part of a sentence, what to do, and whether the move can be repeated; null without a move.
 */
export function moveStateOf(config: FixedConfig): { text: string; remedy: string; isUnfinished: boolean } | null {
  const path = moveRecordPath(config)
  try {
    const { to, started_at, finished_at = null } = Object(JSON.parse(readFileSync(path, 'utf8'))) as Partial<MoveRecord>
    const isComplete = [to, started_at, finished_at ?? ''].every((value) => typeof value === 'string')
    if (!isComplete) throw new Error('it is incomplete')
    if (finished_at === null) {
      return {
        text: `a move of the database to ${to} has not finished`,
        remedy: `Run the same urlmeta move command again. To keep this database instead, delete ${path} while no move runs.`,
        isUnfinished: true,
      }
    }
    return {
      text: `the database was moved to ${to} at ${finished_at}`,
      remedy: `Set URLMETA_DATABASE_URL to that database. To return to this database and lose later changes, delete ${path}.`,
      isUnfinished: false,
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    const remedy =
      code === 'EACCES'
        ? `Run the command as the user that owns ${config.dataDir}.`
        : 'Correct the file, or delete it if this database is still in use.'
    return { text: `the record of a move in ${path} cannot be read: ${messageOf(error)}`, remedy, isUnfinished: false }
  }
}

/** @throws Error with the reason and the remedy when the data directory's database is used and was moved */
export function requireNotMoved(config: FixedConfig): void {
  const moved = config.database.kind === 'SQLite' ? moveStateOf(config) : null
  if (moved !== null) throw new Error(`${moved.text}. ${moved.remedy}`)
}
