import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'

/** Waits until a file is written to disk; for a directory, until its names are. */
export function syncToDisk(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Renames a complete file. After a power failure there is the old file or the new one, never part of one. */
export function publishFile(draft: string, path: string): void {
  syncToDisk(draft)
  renameSync(draft, path)
  syncToDisk(dirname(path))
}
