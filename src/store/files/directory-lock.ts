import { Database } from 'bun:sqlite'
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { attempt } from '../../core/attempt.ts'
import { createPrivateFile } from './private-file.ts'

/** The locked file. Nothing is written to it. */
const LOCK_FILE = 'serve.lock'

/** Contains the process id of the holder, and the URL of a server. They may be stale while nobody holds the lock. */
const PID_FILE = 'serve.pid'

export class DirectoryLockedError extends Error {
  override name = 'DirectoryLockedError'
  constructor(
    /** The process id of the holder; null if the holder has not written it yet. */
    readonly pid: number | null,
  ) {
    super(pid === null ? 'locked by another process' : `locked by process ${pid}`)
  }
}

/**
 * Reserves a directory for this process until disposed. The lock is an open SQLite transaction. The operating system
 * releases it when the process exits, even by `kill -9`, so there are no stale locks.
 * @throws DirectoryLockedError; another error when the directory cannot be used
 */
export function lockDirectory(directory: string): Disposable {
  const [lockPath, pidPath] = [join(directory, LOCK_FILE), join(directory, PID_FILE)]
  createPrivateFile(lockPath)
  // SQLite refuses to lock a file that contains anything else, so nobody holds this lock.
  if (statSync(lockPath).size > 0) truncateSync(lockPath)
  using stack = new DisposableStack()
  const database = new Database(lockPath, { create: true, strict: true })
  stack.defer(() => database.close())
  try {
    // Nothing is written to the database, so no journal file is needed.
    database.run('PRAGMA journal_mode = MEMORY')
    database.run('BEGIN IMMEDIATE')
    writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    const isLocked = error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY'
    throw isLocked ? new DirectoryLockedError(readPid(pidPath)) : error
  }
  stack.defer(() => rmSync(pidPath, { force: true }))
  return stack.move()
}

/** The id of the server process that uses the directory, from its PID file; null if none runs. Takes no lock. */
export function serverPid(directory: string): number | null {
  const pid = readPid(join(directory, PID_FILE))
  if (pid === null) return null
  try {
    process.kill(pid, 0)
    return pid
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : null
  }
}

/** Adds the public origin of a server to the directory that it has locked, for commands. */
export const recordOrigin = (directory: string, origin: string) =>
  writeFileSync(join(directory, PID_FILE), `${process.pid}\n${origin}\n`, { mode: 0o600 })

/** The public origin of the server process that uses the directory; null if none runs. */
export function serverOrigin(directory: string): string | null {
  const text = serverPid(directory) && attempt(() => readFileSync(join(directory, PID_FILE), 'utf8'))
  return /^\d+\n(https?:\/\/[^\s/]+)\n$/.exec(text || '')?.[1] ?? null
}

function readPid(path: string): number | null {
  const pid = attempt(() => Number.parseInt(readFileSync(path, 'utf8'), 10)) ?? 0
  // Zero and negative numbers mean groups of processes, which always exist.
  return pid > 0 ? pid : null
}
