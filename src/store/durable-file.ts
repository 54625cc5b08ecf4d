import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'

/** Waits until the disk has what was written to a file, or into a directory: names are kept there. */
export function syncToDisk(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Gives a finished file its name. After a power cut there is the old file or the new one, and never half of one. */
export function publishFile(draft: string, path: string): void {
  syncToDisk(draft)
  renameSync(draft, path)
  syncToDisk(dirname(path))
}
