import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

import { type Config, databasePath } from '../config.ts'
import { AppError } from '../core/errors.ts'

/**
 * Opens the accounts of an existing database. Creating an empty one instead would hide that the command was run in the
 * wrong directory.
 * @throws AppError `not_found` when there is no database
 */
export async function openAccounts(config: Config) {
  const path = resolve(databasePath(config))
  if (config.databaseUrl === null && isMissing(path)) {
    throw new AppError(
      'not_found',
      `No database at ${path}. Run the command in the server's working directory, or set URLMETA_DATA_DIR.`,
    )
  }
  const { composeAccounts } = await import('../compose/accounts.ts')
  return composeAccounts(config)
}

/** Opens the accounts, and reports on stderr when that created the database. */
export async function openOrCreateAccounts(config: Config) {
  const path = resolve(databasePath(config))
  const existed = config.databaseUrl !== null || existsSync(path)
  const { composeAccounts } = await import('../compose/accounts.ts')
  const composed = await composeAccounts(config)
  if (!existed) process.stderr.write(`urlmeta: created a new database at ${path}\n`)
  return composed
}

/** False also when `stat` fails, for example without permission; opening the database then reports the reason. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}
