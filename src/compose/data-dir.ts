import { mkdirSync } from 'node:fs'
import { statfs } from 'node:fs/promises'

import type { Config } from '../config.ts'
import { AppError, messageOf } from '../core/errors.ts'
import type { Log } from '../log.ts'
import { DirectoryLockedError, lockDirectory } from '../store/directory-lock.ts'
import { isOpenToOthers } from '../store/private-file.ts'

/** Creates the data directory if it does not exist. Mode 0700, because it stores which pages users requested. */
export function createDataDir({ dataDir }: Config): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
}

/** The bytes that can still be written to the disk of a directory. */
export async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir)
  return bavail * bsize
}

const ONE_SERVER = 'only one process can serve from a data directory; several processes need PostgreSQL'

/**
 * Reserves the data directory for one server process, or for a command that replaces its files. Rate limits are counted
 * in memory, so a second server would double them. Other commands do not take this lock.
 * @param use what the directory is reserved for
 * @throws AppError when another server uses the directory, or when it cannot be used
 */
export function lockDataDir(config: Config, use: 'serve' | 'replace'): Disposable {
  const { dataDir } = config
  try {
    createDataDir(config)
    return lockDirectory(dataDir)
  } catch (cause) {
    if (cause instanceof DirectoryLockedError) {
      const owner = cause.pid === null ? 'Another process' : `Process ${cause.pid}`
      throw new AppError(
        'internal',
        use === 'serve'
          ? `${owner} already serves from ${dataDir} (URLMETA_DATA_DIR): ${ONE_SERVER}`
          : `${owner} serves from ${dataDir} (URLMETA_DATA_DIR): stop it first`,
        { cause },
      )
    }
    throw new AppError('internal', `Cannot use the data directory ${dataDir} (URLMETA_DATA_DIR): ${messageOf(cause)}`, {
      cause,
    })
  }
}

/** Warns when other users can list the data directory: its files are private, but their names and sizes are not. */
export function warnIfDataDirReadable({ dataDir }: Config, log: Log): void {
  if (!isOpenToOthers(dataDir)) return
  log.warn({ dataDir }, `other users of this machine can list the data directory: chmod 700 ${dataDir}`)
}
