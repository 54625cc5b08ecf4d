import { Database } from 'bun:sqlite'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { createPrivateFile } from './private-file.ts'

/** The file that is locked; nothing is written to it. */
const LOCK_FILE = 'serve.lock'

/** Contains the process id of the holder, for error messages. It may be stale when the lock is free. */
const PID_FILE = 'serve.pid'

/** Another process holds the directory. */
export class DirectoryLockedError extends Error {
  override name = 'DirectoryLockedError'
  constructor(
    /** The process id of the holder; null while it has not been written yet. */
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

/** The id of the server process that uses the directory, by its PID file; null for none. Takes no lock. */
export function serverPid(directory: string): number | null {
  const pid = readPid(join(directory, PID_FILE))
  if (pid === null) return null
  try {
    process.kill(pid, 0)
    return pid
  } catch (error) {
    // The process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : null
  }
}

function readPid(path: string): number | null {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10) || null
  } catch {
    return null
  }
}
