import { chmodSync, closeSync, constants, fchownSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** The permission bits of group and others. */
const OTHERS = 0o077

/**
 * Creates an empty file with mode 0600, or restricts an existing file to its owner. A file that root creates is given
 * to the owner of its directory, who runs the service. An existing file is not opened, because closing it would release
 * the locks that SQLite holds on it in this process (POSIX, fcntl).
 */
export function createPrivateFile(path: string): void {
  try {
    const file = openSync(path, 'wx', 0o600)
    const { uid, gid } = statSync(dirname(path))
    if (process.getuid?.() === 0) fchownSync(file, uid, gid)
    closeSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  restrictToOwner(path)
}

/** Sets mode 0600 if group or others can access the file. Does nothing if the file does not exist. */
export function restrictToOwner(path: string): void {
  if (isOpenToOthers(path)) chmodSync(path, 0o600)
}

/** Whether every user of this machine can read the file; false if the file does not exist. */
export function isReadableByAll(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & constants.S_IROTH) !== 0
}

/** Whether group or others have any permission on the file or directory; false if it does not exist. */
export function isOpenToOthers(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0
}
