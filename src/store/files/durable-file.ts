import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'

/** Waits until a file, or the list of names in a directory, is written to disk (fsync). */
export function syncToDisk(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Renames a complete draft to `path`. After a power failure, `path` is the old file or the new one, never a partial one. */
export function replaceFile(draft: string, path: string): void {
  syncToDisk(draft)
  renameSync(draft, path)
  syncToDisk(dirname(path))
}
