import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

import { syncToDisk } from '../durable-file.ts'
import { createPrivateFile } from '../private-file.ts'

/** Changes at each boot of the machine (random(4)). Only Linux has it. */
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id'

/** The mark of `cache.db` is `cache.db-boot`. */
export const BOOT_MARK_SUFFIX = '-boot'

/**
 * Marks a database that is written without waiting for the disk (fsync). Such a database is complete after a crash of the
 * process, because the operating system writes what remains, but may be damaged after a power failure, and SQLite does not
 * always detect the damage. While it is open, the mark contains the id of the boot: if that is another one at the next start,
 * the machine stopped before everything was written.
 */
export interface BootMark {
  /** Whether the machine stopped while the database was open. */
  isFromEarlierBoot(): boolean
  /** Sets the mark. False if that is not possible: then the database must be written to disk at each checkpoint. */
  set(): boolean
  /** Writes the closed database to disk and removes the mark, which remains if that fails. */
  clear(): void
}

/** @param bootId by default that of this boot; null on a system without one */
export function bootMark(databasePath: string, bootId: string | null = currentBootId()): BootMark {
  const path = databasePath + BOOT_MARK_SUFFIX
  const folder = dirname(path)
  return {
    isFromEarlierBoot() {
      const marked = readIfPresent(path)
      return marked !== null && marked !== bootId
    },

    set() {
      if (bootId === null) return false
      try {
        createPrivateFile(path)
        writeFileSync(path, bootId)
        syncToDisk(path)
        syncToDisk(folder)
        return true
      } catch {
        return false
      }
    },

    clear() {
      if (readIfPresent(path) === null) return
      try {
        syncToDisk(databasePath)
        // The write-ahead log was deleted. If it reappeared, its old pages would be copied into the database.
        syncToDisk(folder)
        rmSync(path)
      } catch {
        // The database is discarded after the next boot.
      }
    },
  }
}

function currentBootId(): string | null {
  return readIfPresent(BOOT_ID_FILE)
}

/** The content of a small file; null if there is none, or if it cannot be read. */
function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}
