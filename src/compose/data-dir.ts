import { mkdirSync } from 'node:fs'

import type { Config } from '../config.ts'
import { AppError } from '../core/errors.ts'
import type { Log } from '../log.ts'
import { DirectoryLockedError, lockDirectory } from '../store/directory-lock.ts'
import { isOpenToOthers } from '../store/private-file.ts'

/** Makes the data directory if need be. 0700: which pages a user looks at is nobody else's business. */
export function makeDataDir({ dataDir }: Config): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
}

/**
 * Reserves the data directory for one serving process: minute limits and caches are kept in its memory, so a second
 * process would double the one and overwrite the other. Commands do not need it.
 * @throws AppError when another process serves from the directory, or when it cannot be used
 */
export function lockDataDir(config: Config): Disposable {
  const { dataDir } = config
  try {
    makeDataDir(config)
    return lockDirectory(dataDir)
  } catch (cause) {
    if (cause instanceof DirectoryLockedError) {
      const holder = cause.pid === null ? 'Another process' : `Process ${cause.pid}`
      throw new AppError(
        'internal',
        `${holder} already serves from ${dataDir} (URLMETA_DATA_DIR): one data directory has one serving ` +
          'process; several processes need PostgreSQL',
        { cause },
      )
    }
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('internal', `Cannot use the data directory ${dataDir} (URLMETA_DATA_DIR): ${reason}`, { cause })
  }
}

/** Names a data directory that others can look into: the files in it are private, their names and sizes are not. */
export function warnOfOpenDataDir({ dataDir }: Config, log: Log): void {
  if (!isOpenToOthers(dataDir)) return
  log.warn({ dataDir }, `other users of this machine can list the data directory: chmod 700 ${dataDir}`)
}
