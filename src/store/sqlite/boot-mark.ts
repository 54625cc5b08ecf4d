import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
 * always detect the damage. Until everything is on disk, the mark contains the id of the boot: if it is another one at the
 * next start, the machine stopped before.
 */
export interface BootMark {
  /** Whether there is a mark of an earlier boot. A mark that cannot be read or compared counts as one. */
  isFromEarlierBoot(): boolean
  /** Sets the mark. False if that is not possible: then the database must be written to disk at each checkpoint. */
  set(): boolean
  /** Removes the mark of a database that is on disk. */
  clear(): void
}

/** @param bootId by default that of this boot */
export function bootMark(databasePath: string, bootId: string | null = currentBootId()): BootMark {
  const path = databasePath + BOOT_MARK_SUFFIX
  const isOfThisBoot = () => readFileSync(path, 'utf8').trim() === bootId
  return {
    isFromEarlierBoot() {
      try {
        return !isOfThisBoot()
      } catch (error) {
        return (error as NodeJS.ErrnoException).code !== 'ENOENT'
      }
    },

    set() {
      if (bootId === null) return false
      const isNew = !existsSync(path)
      try {
        createPrivateFile(path)
        // Already on disk, after a crash of the process or when the database was compacted.
        if (isOfThisBoot()) return true
        writeFileSync(path, bootId)
        syncToDisk(path)
        syncToDisk(dirname(path))
        return true
      } catch {
        // An incomplete mark would count as one of an earlier boot.
        if (isNew) rmSync(path, { force: true })
        return false
      }
    },

    clear: () => rmSync(path),
  }
}

/** The id of this boot; null on a system without one. */
export function currentBootId(): string | null {
  try {
    return readFileSync(BOOT_ID_FILE, 'utf8').trim() || null
  } catch {
    return null
  }
}
