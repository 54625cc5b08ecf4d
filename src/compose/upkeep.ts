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
export function startUpkeep(
  config: FixedConfig,
  { stores, cache, playgroundResults }: Storage,
  keyRing: KeyRing,
  log: Log,
) {
  const stack = new AsyncDisposableStack()
  const { now } = systemDeps
  /** Null if pages are not rendered before the plain response. */
  const renderHistory = config.learnsRendering
    ? stack.use(
        memoryRenderHistory({
          stored: stores.renderedHosts,
          now,
          onError: (err) => log.error({ err }, 'writing rendered hosts failed'),
        }),
      )
    : null
  const clock = openSweepClock(config, stores, log)
  const { ttlMs } = config.cache
  stack.use(
    startSweeper({
      tasks: retentionTasks({ stores, cache, playgroundResults, keyRing, renderHistory, ttlMs, clock }),
      onError: (err, task) => log.error({ err, task }, 'deleting expired rows failed'),
    }),
  )
  const { backup } = config
  const schedule =
    backup &&
    stack.use(
      startBackupSchedule({
        ...backup,
        files: backupFiles(config, backup.directory),
        now,
        onBackup: ({ file, bytes, tookMs }) => log.info({ file, bytes, ms: tookMs }, 'backup written'),
        onError: (err) => log.error({ err }, 'backup failed; will retry'),
        onUndeleted: (err) => log.error({ err }, 'deleting an old backup failed'),
      }),
    )
  return owning(stack, {
    renderHistory,
    isSweepPaused: clock.isPaused,
    /** Null if no backups are scheduled. */
    backups: backup && schedule && (() => ({ ...schedule.status(), everyMs: backup.everyMs })),
  })
}
