import { statSync } from 'node:fs'
import { resolve } from 'node:path'

import { attempt } from '../core/attempt.ts'
import type { Config } from '../config.ts'
import { AppError } from '../core/errors.ts'

/** Opens the accounts of an existing database. @throws AppError `not_found` when there is no database */
export async function openAccounts(config: Config) {
  requireDatabase(config)
  return openOrCreateAccounts(config)
}

/** Commands create no database, because a new one would hide a wrong working directory. @throws AppError `not_found` */
export function requireDatabase(config: Config) {
  const missing = missingFile(config)
  if (missing === null) return
  const remedy = "Run the command in the server's working directory, or set URLMETA_DATA_DIR."
  throw new AppError('not_found', `No database at ${missing}. ${remedy}`)
}

/** Reports on stderr if this created the database. */
export async function openOrCreateAccounts(config: Config) {
  const missing = missingFile(config)
  const { composeAccounts } = await import('../compose/accounts.ts')
  const composed = await composeAccounts(config)
  if (missing !== null) process.stderr.write(`urlmeta: created a new database at ${missing}\n`)
  return composed
}

/**
 * The path of the database file if it is missing, otherwise null. Null also if `stat` fails, because opening the
 * database then gives the reason.
 */
function missingFile({ database }: Config): string | null {
  if (database.kind !== 'SQLite') return null
  const isMissing = attempt(() => statSync(database.file, { throwIfNoEntry: false }) === undefined) ?? false
  return isMissing ? resolve(database.file) : null
}
