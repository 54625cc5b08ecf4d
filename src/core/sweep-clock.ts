/** A reading of the machine's clock. */
export interface ClockReading {
  /** Unix milliseconds. */
  atMs: number
  /** Changes at each start of the machine. */
  bootId: string
  /** Milliseconds since the start of the machine, which setting the clock does not change. */
  uptimeMs: number
}

/** Servers are rarely stopped for longer than a day, and a day more or less matters little to what is deleted. */
const MAX_JUMP_MS = 24 * 60 * 60_000

/** The latest time that was trusted, which outlives the process. */
export interface ClockRecord extends ClockReading {
  /** Whether the clock has jumped ahead of it. */
  isPaused: boolean
}

/**
 * Whether rows may be deleted by this clock: it must not be more than a day ahead of the latest time that was trusted. The
 * time that has passed since then is known if the machine has not been restarted. If it has, a clock that was set by NTP
 * since the restart is trusted.
 */
export function isClockTrusted(latest: ClockReading, reading: ClockReading, isSynchronized: boolean): boolean {
  const isSameBoot = latest.bootId === reading.bootId
  const passedMs = isSameBoot ? Math.max(0, reading.uptimeMs - latest.uptimeMs) : 0
  return (isSynchronized && !isSameBoot) || reading.atMs <= latest.atMs + passedMs + MAX_JUMP_MS
}
