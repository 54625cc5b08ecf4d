import { mkdirSync } from 'node:fs'
import { statfs } from 'node:fs/promises'

import { type Config, DOTENV } from '../../config.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import type { Log } from '../../log.ts'
import { DirectoryLockedError, lockDirectory } from '../../store/files/directory-lock.ts'
import { isOpenToOthers, isReadableByAll } from '../../store/files/private-file.ts'

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
 * @throws AppError when another server uses the directory, or when it cannot be used
 */
export function lockDataDir(config: Config, use: 'serve' | 'replace'): Disposable {
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
export function exposedFiles({ sitesFile }: Config): string[] {
  return [DOTENV, ...(sitesFile === null ? [] : [sitesFile])].filter(isReadableByAll)
}

/** Warns when other users can list the data directory, whose files are private, or read configuration files. */
export function warnIfReadable(config: Config, log: Log): void {
  const { dataDir } = config
  if (isOpenToOthers(dataDir))
    log.warn({ dataDir }, `other users can list the data directory: chmod 700 ${dataDir}`)
  for (const file of exposedFiles(config))
    log.warn({ file }, `other users can read ${file}: chmod o= ${file}`)
}
