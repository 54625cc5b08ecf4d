import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { ClockRecord } from '../core/sweep-clock.ts'

/** The file in the data directory with the latest time by which expired rows were deleted. */
export interface ClockFile {
  /** Null when it does not exist or is incomplete. */
  read(): ClockRecord | null
  write(record: ClockRecord): void
}

export function clockFile(dataDir: string): ClockFile {
  const path = join(dataDir, 'clock.json')
  return {
    read() {
      try {
        const { time, boot_id, uptime_s, paused } = JSON.parse(readFileSync(path, 'utf8')) ?? {}
        const atMs = Date.parse(time)
        return Number.isNaN(atMs) ? null : { atMs, bootId: boot_id, uptimeMs: uptime_s * 1_000, isPaused: paused }
      } catch (error) {
        if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },

    write({ atMs, bootId, uptimeMs, isPaused }) {
      const time = new Date(atMs).toISOString()
      const record = { time, boot_id: bootId, uptime_s: uptimeMs / 1_000, paused: isPaused }
      // In place, so that a file keeps its owner when an operator confirms the clock as root.
      writeFileSync(path, `${JSON.stringify(record)}\n`, { mode: 0o600 })
    },
  }
}
