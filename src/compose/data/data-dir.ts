import { mkdirSync } from 'node:fs'
import { statfs } from 'node:fs/promises'

import { type FixedConfig, DOTENV } from '../../config.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import type { Log } from '../../log.ts'
import { DirectoryLockedError, lockDirectory } from '../../store/files/directory-lock.ts'
import { isOpenToOthers, isReadableByAll } from '../../store/files/private-file.ts'

/** Mode 0700, because the data directory stores which pages users requested. */
export function createDataDir({ dataDir }: FixedConfig): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
}

/** The number of bytes that can still be written to the disk of a directory. */
export async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir)
  return bavail * bsize
}

export const noDatabaseIn = ({ dataDir }: FixedConfig) => `there is no database in ${dataDir} (URLMETA_DATA_DIR)`

const ONE_SERVER = 'only one process can serve from a data directory; several processes need PostgreSQL'

/**
 * Reserves the data directory for one server process, or for a command that replaces its files. Rate limits are counted
 * in memory, so a second server would double the limits. Other commands do not take this lock.
 * @throws AppError if another server uses the directory, or if the directory cannot be used
 */
export function lockDataDir(config: FixedConfig, use: 'serve' | 'replace'): Disposable {
  const { dataDir } = config
  try {
    createDataDir(config)
    return lockDirectory(dataDir)
  } catch (cause) {
    const fail = (why: string) => new AppError('internal', why, { cause })
    const place = `${dataDir} (URLMETA_DATA_DIR)`
    if (!(cause instanceof DirectoryLockedError)) {
      throw fail(`Cannot use the data directory ${place}: ${messageOf(cause)}`)
    }
    const owner = cause.pid === null ? 'Another process' : `Process ${cause.pid}`
    if (use === 'replace') throw fail(`${owner} serves from ${place}: stop it first`)
    throw fail(`${owner} already serves from ${place}: ${ONE_SERVER}`)
  }
}

/** The configuration files that every user of this machine can read, although they can contain secrets. */
export function exposedFiles({ sitesFile }: FixedConfig): string[] {
  return [DOTENV, ...(sitesFile === null ? [] : [sitesFile])].filter(isReadableByAll)
}

/**
 * Warns if other users can list the data directory or read configuration files. The files in the data directory are
 * private in any case.
 */
export function warnIfReadable(config: FixedConfig, log: Log): void {
  const { dataDir } = config
  if (isOpenToOthers(dataDir)) log.warn({ dataDir }, `other users can list the data directory: chmod 700 ${dataDir}`)
  for (const file of exposedFiles(config)) log.warn({ file }, `other users can read ${file}: chmod o= ${file}`)
}
