import { MINUTE_MS } from '../../core/duration.ts'
import { messageOf } from '../../core/errors.ts'
import { periodicTask, type Repeat } from './periodic-task.ts'

/** A finished backup. */
export interface Backup {
  file: string
  bytes: number
  /** Unix milliseconds. */
  atMs: number
  tookMs: number
}

export interface ScheduledBackup extends Backup {
  /** The time in its name, from which the next one is due. It does not depend on how long the copy took. */
  namedAtMs: number
}

/** The directory of scheduled backups. */
export interface BackupFiles {
  list(): Promise<ScheduledBackup[]>
  /** Creates a backup whose name contains the time. @throws with a message for operators */
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
  /** Called when an old backup cannot be deleted. */
  onUndeleted: (error: unknown) => void
}

/** How often the clock is checked, in milliseconds: one timer would be wrong after a change of the clock or a sleep. */
const CHECK_EVERY_MS = 10_000

/**
 * A backup that is late by less than this, in milliseconds, is named by the time at which it was due, so that the following
 * ones do not become later and later. After a longer delay, such as a stop, the name has the actual time.
 */
const PUNCTUAL_MS = MINUTE_MS

/** The delay after a failure, in milliseconds; shorter when backups are scheduled more often. */
const RETRY_MS = 15 * MINUTE_MS

/** Creates a backup every `everyMs`, the first now. Only the files count: a restart neither delays nor adds one. */
export function startBackupSchedule(deps: BackupScheduleDeps) {
  const { files, everyMs, keep, now, repeat, onBackup, onError, onUndeleted } = deps
  const stop = new AbortController()
  const state = {
    /** The latest backup; null when there is none. */
    last: null as Pick<Backup, 'atMs' | 'bytes'> | null,
    nextAtMs: now(),
    /** Why the last attempt failed; null if it succeeded. */
    error: null as string | null,
    /** The number of failed attempts since the start. */
    failures: 0,
  }
  let retryAtMs: number | null = null

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
      if (now() < state.nextAtMs || stop.signal.aborted) return
      const namedAtMs = now() - dueAtMs < PUNCTUAL_MS ? dueAtMs : now()
      const created = await files.create(namedAtMs, stop.signal)
      Object.assign(state, { last: created, nextAtMs: namedAtMs + everyMs, error: null })
      retryAtMs = null
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
    async [Symbol.asyncDispose]() {
      stop.abort()
      await checks[Symbol.asyncDispose]()
    },
  }
}

/**
 * Backups dated in the future were created while the clock was wrong. They count as the oldest: otherwise the latest one
 * would never be recent, and the others would be deleted first.
 */
function newestFirst(backups: readonly ScheduledBackup[], nowMs: number): ScheduledBackup[] {
  const isFuture = ({ atMs }: Backup) => Number(atMs > nowMs)
  return backups.toSorted((a, b) => isFuture(a) - isFuture(b) || b.atMs - a.atMs)
}
