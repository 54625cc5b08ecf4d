import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'

import type { Config } from '../config.ts'
import { AppError } from '../core/errors.ts'
import { isoTime } from '../core/iso-time.ts'
import type { Log } from '../log.ts'
import { failed, type Finding, ok, skipped } from '../service/operation/doctor.ts'
import {
  type ClockRecord,
  createSweepClock,
  isClockTrusted,
  type SweepClock,
} from '../service/operation/sweep-clock.ts'
import type { OpenStores } from './stores.ts'
import { systemDeps } from './system-deps.ts'

const REMEDY = 'If the clock is right, run urlmeta doctor --confirm-clock; otherwise set it (timedatectl set-ntp true)'

/** systemd-timesyncd creates this file when it sets the clock for the first time after a boot. */
const SYNCHRONIZED_FILE = '/run/systemd/timesync/synchronized'

const reading = () => ({
  atMs: systemDeps.now(),
  uptimeMs: uptime() * 1_000,
  isSynchronized: existsSync(SYNCHRONIZED_FILE),
})

/** The file in the data directory with the latest trusted time. */
function recordIn({ dataDir }: Config) {
  const path = join(dataDir, 'clock.json')
  return {
    /** Null when it does not exist, or is incomplete after a full disk. */
    read(): ClockRecord | null {
      try {
        return JSON.parse(readFileSync(path, 'utf8'))
      } catch (error) {
        if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    // In place, so that the file keeps its owner when an operator confirms the clock as root.
    write: (record: ClockRecord) => writeFileSync(path, JSON.stringify(record), { mode: 0o600 }),
  }
}

/** With PostgreSQL the clock of its server decides, so that one wrong clock deletes nothing that other processes need. */
export function openSweepClock(config: Config, { clock }: Pick<OpenStores, 'clock'>, log: Log): SweepClock {
  if (clock.kind === 'server') return { read: clock.read, isPaused: () => false }
  return createSweepClock({
    record: recordIn(config),
    newestRow: clock.newestRow,
    reading,
    onChange(latestMs) {
      if (latestMs === null) log.info({}, 'deleting expired rows continues: the clock is trusted again')
      else log.error({}, `deleting expired rows is paused: ${jumpText(latestMs)}. ${REMEDY}`)
    },
  })
}

const jumpText = (latestMs: number) =>
  `the clock has jumped more than a day ahead of ${isoTime(latestMs)}, the latest time that is trusted`

/** Trusts the clock after it has jumped. @throws AppError when no server with SQLite has run in the data directory */
export function confirmClock(config: Config): void {
  const record = recordIn(config)
  if (config.database.kind !== 'SQLite' || record.read() === null) {
    throw new AppError('not_found', 'There is no clock to confirm: no server with SQLite has run in the data directory')
  }
  record.write({ ...reading(), isPaused: false })
}

export function checkSweepClock(config: Config): Finding {
  const latest = recordIn(config).read()
  if (latest === null) return skipped('no server has run yet')
  if (!latest.isPaused && isClockTrusted(latest, reading())) return ok('are deleted every ten minutes')
  return failed(`are not deleted: ${jumpText(latest.atMs)}`, `${REMEDY}.`)
}
