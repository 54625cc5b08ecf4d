import { existsSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'

import type { FixedConfig } from '../config.ts'
import { AppError } from '../core/errors.ts'
import { parsedJson } from '../core/json.ts'
import type { Log } from '../log.ts'
import type { Finding } from '../service/operation/doctor.ts'
import { sweepClockFinding } from '../service/operation/doctor/data.ts'
import {
  type ClockRecord,
  createSweepClock,
  isClockRecord,
  jumpText,
  PAUSE_REMEDY,
  type SweepClock,
} from '../service/operation/sweep-clock.ts'
import { readIfExists } from '../store/files/read-if-exists.ts'
import type { OpenStores } from './stores.ts'
import { systemDeps } from './system-deps.ts'

/** systemd-timesyncd creates this file when it sets the clock for the first time after a boot. */
const SYNCHRONIZED_FILE = '/run/systemd/timesync/synchronized'

const reading = () => ({
  atMs: systemDeps.now(),
  uptimeMs: uptime() * 1_000,
  isSynchronized: existsSync(SYNCHRONIZED_FILE),
})

/** Stored in a file in the data directory. */
function recordIn({ dataDir }: FixedConfig) {
  const path = join(dataDir, 'clock.json')
  return {
    /** Null if the file does not exist, is incomplete after a full disk, or was changed. */
    read(): ClockRecord | null {
      const record = parsedJson(readIfExists(path) ?? '')
      return isClockRecord(record) ? record : null
    },
    // Overwrites the file, so that it keeps its owner when an operator confirms the clock as root.
    write: (record: ClockRecord) => writeFileSync(path, JSON.stringify(record), { mode: 0o600 }),
  }
}

/**
 * With PostgreSQL, sweeps use the clock of the database server, so that one machine with a wrong clock deletes nothing
 * that other processes need.
 */
export function openSweepClock(config: FixedConfig, { clock }: Pick<OpenStores, 'clock'>, log: Log): SweepClock {
  if (clock.kind === 'server') return { read: clock.read, isPaused: () => false }
  return createSweepClock({
    record: recordIn(config),
    newestRow: clock.newestRow,
    reading,
    onChange(latestMs) {
      if (latestMs === null) log.info({}, 'deleting expired rows continues: the clock is trusted again')
      else log.error({}, `deleting expired rows is paused: ${jumpText(latestMs)}. ${PAUSE_REMEDY}`)
    },
  })
}

/** Trusts the clock after a jump. @throws AppError if no server with SQLite has run in the data directory */
export function confirmClock(config: FixedConfig): void {
  const record = recordIn(config)
  if (config.database.kind !== 'SQLite' || record.read() === null) {
    throw new AppError('not_found', 'There is no clock to confirm: no server with SQLite has run in the data directory')
  }
  record.write({ ...reading(), isPaused: false })
}

export const checkSweepClock = (config: FixedConfig): Finding => sweepClockFinding(recordIn(config).read(), reading())
