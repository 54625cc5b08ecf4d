import { MINUTE_MS } from '../../core/duration.ts'
import { messageOf } from '../../core/errors.ts'
import { periodicTask, type Repeat } from './periodic-task.ts'

export interface Backup {
  file: string
  bytes: number
  /** Unix milliseconds. */
  atMs: number
  tookMs: number
}

export interface ScheduledBackup extends Backup {
  /**
   * The time in the name of the backup. The next backup is due `everyMs` later, regardless of how long the copy took.
   */
  namedAtMs: number
}

export interface BackupFiles {
  list(): Promise<ScheduledBackup[]>
  /** Creates a backup whose name contains the time. @throws an error with a message for operators */
  create(namedAtMs: number, signal: AbortSignal): Promise<Backup>
  remove(backup: ScheduledBackup): Promise<void>
}

export interface BackupScheduleDeps {
  files: BackupFiles
  everyMs: number
  /** The number of backups to keep; the oldest are deleted. */
  keep: number
  now: () => number
  repeat?: Repeat
  onBackup: (backup: Backup) => void
  onError: (error: unknown) => void
  onUndeleted: (error: unknown) => void
}

/** How often the clock is checked, in milliseconds: one timer would be wrong after a change of the clock or a sleep. */
const CHECK_EVERY_MS = 10_000

/**
 * A backup that is late by less than this, in milliseconds, is named by the time at which it was due, so that delays do
 * not add up. After a longer delay, such as a stop, the name has the actual time.
 */
const PUNCTUAL_MS = MINUTE_MS

/** The delay after a failure, in milliseconds; shorter when backups are scheduled more often. */
const RETRY_MS = 15 * MINUTE_MS

/**
 * Creates a backup every `everyMs`, the first immediately. Only the files count, so a restart neither delays nor adds a
 * backup.
 */
export function startBackupSchedule(deps: BackupScheduleDeps) {
  const { files, everyMs, keep, now, repeat, onBackup, onError, onUndeleted } = deps
  const stop = new AbortController()
  const state = {
    /** Null if there is no backup. */
    last: null as Pick<Backup, 'atMs' | 'bytes'> | null,
    everyMs,
    isRunning: false,
    nextAtMs: now(),
    /** Null if the last attempt succeeded. */
    error: null as string | null,
    /** Counted since the start. */
    failures: 0,
  }
  let retryAtMs: number | null = null
  /** Whether a backup was requested and has not been created yet. */
  let isRequested = false

  async function check() {
    // A longer wait means that the clock was set back after the failure.
    const waitMs = (retryAtMs ?? 0) - now()
    if (waitMs > 0 && waitMs <= RETRY_MS) return
    try {
      const backups = newestFirst(await files.list(), now())
      const [latest] = backups
      state.last = latest ?? null
      const isFirst = latest === undefined || latest.atMs > now()
      const dueAtMs = isFirst ? now() : Math.min(latest.namedAtMs, latest.atMs) + everyMs
      state.nextAtMs = dueAtMs
      const lateMs = now() - dueAtMs
      if ((lateMs < 0 && !isRequested) || stop.signal.aborted) return
      state.isRunning = true
      const namedAtMs = lateMs >= 0 && lateMs < PUNCTUAL_MS ? dueAtMs : now()
      const created = await files.create(namedAtMs, stop.signal).finally(() => (state.isRunning = false))
      Object.assign(state, { last: created, nextAtMs: namedAtMs + everyMs, error: null })
      retryAtMs = null
      isRequested = false
      onBackup(created)
      for (const old of backups.slice(keep - 1)) await files.remove(old).catch(onUndeleted)
    } catch (error) {
      if (stop.signal.aborted) return
      retryAtMs = now() + Math.min(everyMs, RETRY_MS)
      Object.assign(state, { nextAtMs: retryAtMs, error: messageOf(error), failures: state.failures + 1 })
      onError(error)
    }
  }

  const checks = periodicTask(check, CHECK_EVERY_MS, repeat)
  checks.start()
  return {
    status: () => ({ ...state }),

    /**
     * Creates a backup now, unless one is `running`. The next one is due `everyMs` later. The reason of a failure is in
     * `status`, and it is tried again like a scheduled one. Nothing is created if `record`, which is called first, rejects.
     */
    async backUpNow(record: () => Promise<void>): Promise<'running' | 'written' | 'failed'> {
      if (state.isRunning) return 'running'
      state.isRunning = true
      try {
        await record()
        isRequested = true
        retryAtMs = null
        await checks.start()
        // A check that was in progress may have decided before that no backup is due.
        if (isRequested && retryAtMs === null) await checks.start()
        return state.error === null ? 'written' : 'failed'
      } finally {
        state.isRunning = false
      }
    },

    async [Symbol.asyncDispose]() {
      stop.abort()
      await checks[Symbol.asyncDispose]()
    },
  }
}

/**
 * Sorts backups dated in the future last, as the oldest, because they were created while the clock was wrong. Otherwise
 * a backup dated in the future would count as the latest, and backups with the right date would be deleted first.
 */
function newestFirst(backups: readonly ScheduledBackup[], nowMs: number): ScheduledBackup[] {
  const isFuture = ({ atMs }: Backup) => Number(atMs > nowMs)
  return backups.toSorted((a, b) => isFuture(a) - isFuture(b) || b.atMs - a.atMs)
}
