import { existsSync } from 'node:fs'
import { uptime } from 'node:os'

import type { Config } from '../config.ts'
import { AppError } from '../core/errors.ts'
import { type ClockReading, isClockTrusted } from '../core/sweep-clock.ts'
import { isoTime } from '../core/iso-time.ts'
import type { Log } from '../log.ts'
import { type DoctorCheck, failed, type Finding, ok, skipped } from '../service/doctor.ts'
import { createSweepClock, type SweepClock } from '../service/sweep-clock.ts'
import { clockFile } from '../store/clock-file.ts'
import { currentBootId } from '../store/sqlite/boot-mark.ts'
import type { OpenStores } from './stores.ts'
import { systemDeps } from './system-deps.ts'

/** systemd-timesyncd creates it when it sets the clock for the first time after a boot. */
const SYNCHRONIZED_FILE = '/run/systemd/timesync/synchronized'
const isSynchronized = () => existsSync(SYNCHRONIZED_FILE)

/** Without a boot id, no other process can tell how much time has passed. */
const PROCESS_ID = crypto.randomUUID()

const readClock = (): ClockReading => ({
  atMs: systemDeps.now(),
  bootId: currentBootId() ?? PROCESS_ID,
  uptimeMs: uptime() * 1_000,
})

const REMEDY = 'If the clock is right, run urlmeta doctor --confirm-clock; otherwise set it (timedatectl set-ntp true)'

/** With PostgreSQL the clock of its server decides, so that one wrong clock deletes nothing that other processes need. */
export function openSweepClock({ dataDir }: Config, { clock }: Pick<OpenStores, 'clock'>, log: Log): SweepClock {
  if (clock.kind === 'server') return { read: clock.read, isPaused: () => false }
  return createSweepClock({
    record: clockFile(dataDir),
    newestRow: clock.newestRow,
    reading: readClock,
    isSynchronized,
    onJump: (latestMs) => log.error({}, `deleting expired rows is paused: ${jumpText(latestMs)}. ${REMEDY}`),
    onTrusted: () => log.info({}, 'deleting expired rows continues: the clock is trusted again'),
  })
}

const jumpText = (latestMs: number) =>
  `the clock has jumped more than a day ahead of ${isoTime(latestMs)}, the latest time that is trusted`

/** Trusts the clock after it has jumped. @throws AppError when no server with SQLite has run in the data directory */
export function confirmClock({ dataDir, databaseUrl }: Config): void {
  const file = clockFile(dataDir)
  if (databaseUrl !== null || file.read() === null) {
    throw new AppError('not_found', 'There is no clock to confirm: no server with SQLite has run in the data directory')
  }
  file.write({ ...readClock(), isPaused: false })
}

export function sweepClockCheck({ dataDir }: Config): DoctorCheck {
  return {
    name: 'expired rows',
    async run(): Promise<Finding> {
      const latest = clockFile(dataDir).read()
      if (latest === null) return skipped('no server has run yet')
      if (!latest.isPaused && isClockTrusted(latest, readClock(), isSynchronized()))
        return ok('are deleted every ten minutes')
      return failed(`are not deleted: ${jumpText(latest.atMs)}`, `${REMEDY}.`)
    },
  }
}
