import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

/** Everything that group and others may do with a file. */
const OTHERS = 0o077

/**
 * Makes an empty file for its owner alone, and takes an existing one away from group and others. An existing file is not
 * opened: closing it again would drop the locks that SQLite holds on it in this process (POSIX, fcntl).
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  restrictToOwner(path)
}

/** Takes a file away from group and others; does nothing when there is no such file. */
export function restrictToOwner(path: string): void {
  if (isOpenToOthers(path)) chmodSync(path, 0o600)
}

/** Whether group or others may read, write or list what is at the path; false when nothing is there. */
export function isOpenToOthers(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && (stats.mode & OTHERS) !== 0
}
