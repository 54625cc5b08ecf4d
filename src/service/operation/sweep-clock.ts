import { DAY_MS } from '../../core/duration.ts'

/** A reading of the machine's clock. */
export interface ClockReading {
  /** Unix milliseconds. */
  atMs: number
  /** Milliseconds since the start of the machine, which setting the clock does not change. */
  uptimeMs: number
  /** Whether NTP is known to have set the clock since the machine started. */
  isSynchronized: boolean
}

/** The latest time that was trusted, which outlives the process, and whether the clock has jumped ahead of it. */
export interface ClockRecord extends ClockReading {
  isPaused: boolean
}

/** The clock by which expired rows are deleted. */
export type SweepClock = ReturnType<typeof createSweepClock>

export interface SweepClockDeps {
  record: { read(): ClockRecord | null; write(record: ClockRecord): void }
  /** The newest time in the database, in Unix milliseconds, for the first start; null if it has none. */
  newestRow: () => Promise<number | null>
  reading: () => ClockReading
  /** Called when the clock jumps ahead of the latest trusted time, and with null when it is trusted again. */
  onChange: (latestMs: number | null) => void
}

/** Servers are rarely stopped for longer than a day, and a day more or less matters little to what is deleted. */
const MAX_JUMP_MS = DAY_MS

/** A single wrong clock must not delete what cannot be restored, so a jump of more than a day pauses deleting. */
export function createSweepClock(deps: SweepClockDeps) {
  const { record, newestRow, reading, onChange } = deps
  let isPaused = false

  return {
    /** Unix milliseconds; null while nothing may be deleted, because the clock has jumped ahead. */
    async read(): Promise<number | null> {
      const now = reading()
      const latest = record.read() ?? { ...now, atMs: (await newestRow()) ?? now.atMs, isSynchronized: false }
      const wasPaused = isPaused
      isPaused = !isClockTrusted(latest, now)
      try {
        // A clock that was set back for a while must not appear to jump ahead when it is corrected.
        record.write({ ...(isPaused || now.atMs < latest.atMs ? latest : now), isPaused })
      } catch {
        // Most likely the disk is full, and deleting rows makes room. The next sweep writes it.
      }
      if (isPaused !== wasPaused) onChange(isPaused ? latest.atMs : null)
      return isPaused ? null : now.atMs
    },
    isPaused: () => isPaused,
  }
}

/**
 * Whether the clock is at most a day ahead of the latest time that was trusted and the uptime since then, or NTP has set it
 * since then. After a restart of the machine, its uptime is less than the time that has passed.
 */
export function isClockTrusted(latest: ClockReading, now: ClockReading): boolean {
  const passedMs = now.uptimeMs - latest.uptimeMs
  const isSetByNtp = now.isSynchronized && (passedMs < 0 || !latest.isSynchronized)
  return isSetByNtp || now.atMs <= latest.atMs + Math.max(0, passedMs) + MAX_JUMP_MS
}
