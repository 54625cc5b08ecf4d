import { attempt } from '../../core/attempt.ts'
import { DAY_MS } from '../../core/duration.ts'
import { isoTime } from '../../core/iso-time.ts'
import { isRecord } from '../../core/json.ts'

export interface ClockReading {
  /** Unix milliseconds. */
  atMs: number
  /** Milliseconds since the start of the machine, which setting the clock does not change. */
  uptimeMs: number
  /** Whether NTP is known to have set the clock since the machine started. */
  isSynchronized: boolean
}

/** The latest trusted time, which outlives the process, and whether the clock has jumped ahead of that time. */
export interface ClockRecord extends ClockReading {
  isPaused: boolean
}

/** Whether a value of JSON has the times of a record. Without them, every clock would seem to have jumped. */
export const isClockRecord = (value: unknown): value is ClockRecord =>
  isRecord(value) &&
  [value['atMs'], value['uptimeMs']].every((ms) => typeof ms === 'number' && !Number.isNaN(new Date(ms).getTime()))

export type SweepClock = ReturnType<typeof createSweepClock>

export interface SweepClockDeps {
  record: { read(): ClockRecord | null; write(record: ClockRecord): void }
  /** The newest time in the database, in Unix milliseconds, for the first start; null if the database has no rows. */
  newestRow: () => Promise<number | null>
  reading: () => ClockReading
  /**
   * Called with the latest trusted time when the clock jumps ahead of it, and with null when the clock is trusted
   * again.
   */
  onChange: (latestMs: number | null) => void
}

/** Servers are rarely stopped for longer than a day. Deleting rows a day earlier does little harm. */
const MAX_JUMP_MS = DAY_MS

/**
 * Pauses deleting when the clock jumps ahead by more than a day, because a wrong clock must not delete data that cannot
 * be restored.
 */
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
      // A clock that was set back for a while must not appear to jump ahead when it is corrected.
      const trusted = isPaused || now.atMs < latest.atMs ? latest : now
      // If this fails, most likely the disk is full, and deleting rows makes room. The next sweep writes the record.
      attempt(() => record.write({ ...trusted, isPaused }))
      if (isPaused !== wasPaused) onChange(isPaused ? latest.atMs : null)
      return isPaused ? null : now.atMs
    },
    isPaused: () => isPaused,
  }
}

/**
 * Whether the clock is at most a day ahead of the expected time, or NTP has set the clock since the latest trusted
 * time. The expected time is the latest trusted time plus the uptime since then. After a restart of the machine, its
 * uptime is less than the time that has passed.
 */
export function isClockTrusted(latest: ClockReading, now: ClockReading): boolean {
  const passedMs = now.uptimeMs - latest.uptimeMs
  const isSetByNtp = now.isSynchronized && (passedMs < 0 || !latest.isSynchronized)
  return isSetByNtp || now.atMs <= latest.atMs + Math.max(0, passedMs) + MAX_JUMP_MS
}

export const jumpText = (latestMs: number) =>
  `the clock has jumped more than a day ahead of ${isoTime(latestMs)}, the latest time that is trusted`

export const PAUSE_REMEDY =
  'If the clock is right, run urlmeta doctor --confirm-clock; otherwise set it (timedatectl set-ntp true)'
