import type { FixedConfig } from '../config.ts'
import type { Log } from '../log.ts'
import type { KeyRing } from '../service/accounts/key-ring.ts'
import { startBackupSchedule } from '../service/operation/backup-schedule.ts'
import { startSweeper } from '../service/operation/sweeper.ts'
import { memoryRenderHistory } from '../store/memory/render-history.ts'
import { backupFiles } from './data/backup.ts'
import { retentionTasks } from './retention.ts'
import type { Storage } from './storage.ts'
import { openSweepClock } from './sweep-clock.ts'
import { systemDeps } from './system-deps.ts'
import { owning } from './owning.ts'

/** Starts the background tasks: deleting expired rows, and backups. */
export function startUpkeep(config: FixedConfig, storage: Storage, keyRing: KeyRing, log: Log) {
  const stack = new AsyncDisposableStack()
  const { stores } = storage
  const { now } = systemDeps
  const onHostError = (err: unknown) => log.error({ err }, 'writing rendered hosts failed')
  const history = { stored: stores.renderedHosts, now, onError: onHostError }
  /** Null if pages are not rendered before the plain response. */
  const renderHistory = stack.use(config.learnsRendering ? memoryRenderHistory(history) : null)
  const clock = openSweepClock(config, stores, log)
  const { ttlMs } = config.cache
  const tasks = retentionTasks({ ...storage, keyRing, renderHistory, ttlMs, clock })
  const onSweepError = (err: unknown, task: string) => log.error({ err, task }, 'deleting expired rows failed')
  stack.use(startSweeper({ tasks, onError: onSweepError }))
  const { backup } = config
  const schedule =
    backup &&
    startBackupSchedule({
      ...backup,
      files: backupFiles(config, backup.directory),
      now,
      onBackup: ({ file, bytes, tookMs }) => log.info({ file, bytes, ms: tookMs }, 'backup written'),
      onError: (err) => log.error({ err }, 'backup failed; will retry'),
      onUndeleted: (err) => log.error({ err }, 'deleting an old backup failed'),
    })
  stack.use(schedule)
  return owning(stack, {
    renderHistory,
    isSweepPaused: clock.isPaused,
    /** Null if no backups are scheduled. */
    backups: schedule,
  })
}
