import { type ClockReading, type ClockRecord, isClockTrusted } from '../core/sweep-clock.ts'

/** The clock by which expired rows are deleted. */
export interface SweepClock {
  /** Unix milliseconds; null while nothing may be deleted, because the clock has jumped ahead. */
  read(): Promise<number | null>
  isPaused(): boolean
}

export interface SweepClockDeps {
  record: { read(): ClockRecord | null; write(record: ClockRecord): void }
  /** The newest time in the database, in Unix milliseconds, for the first start; null if it has none. */
  newestRow: () => Promise<number | null>
  reading: () => ClockReading
  /** Whether NTP is known to have set the clock since the machine started. */
  isSynchronized: () => boolean
  /** Called when the clock jumps ahead of the latest trusted time, and when it is trusted again. */
  onJump: (latestMs: number) => void
  onTrusted: () => void
}

/** A single wrong clock must not delete what cannot be restored, so a jump of more than a day pauses deleting. */
export function createSweepClock(deps: SweepClockDeps): SweepClock {
  const { record, newestRow, reading, isSynchronized, onJump, onTrusted } = deps
  let isPaused = false

  async function latestTrusted(now: ClockReading): Promise<ClockReading> {
    const recorded = record.read()
    return recorded ?? { atMs: (await newestRow()) ?? now.atMs, bootId: '', uptimeMs: 0 }
  }

  return {
    async read() {
      const now = reading()
      const latest = await latestTrusted(now)
      const wasPaused = isPaused
      isPaused = !isClockTrusted(latest, now, isSynchronized())
      try {
        // A clock that is set back for a while must not appear to jump when it is right again.
        record.write({ ...(isPaused || now.atMs < latest.atMs ? latest : now), isPaused })
      } catch {
        // Most likely the disk is full, and deleting rows makes room. The next sweep writes it.
      }
      if (isPaused && !wasPaused) onJump(latest.atMs)
      if (wasPaused && !isPaused) onTrusted()
      return isPaused ? null : now.atMs
    },
    isPaused: () => isPaused,
  }
}
