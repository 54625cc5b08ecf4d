import { messageOf } from '../core/errors.ts'

/** A finished backup. */
export interface Backup {
  file: string
  bytes: number
  /** Unix milliseconds. */
  atMs: number
  tookMs: number
}

/** Where backups are kept. */
export interface BackupShelf {
  list(): Promise<Backup[]>
  /** Makes a backup that is named by the time. @throws with a message for operators */
  make(atMs: number, signal: AbortSignal): Promise<Backup>
  remove(backup: Backup): Promise<void>
}

/** How the backups stand. */
export interface BackupStatus {
  /** The latest one; null when there is none. */
  last: Pick<Backup, 'atMs' | 'bytes'> | null
  /** When the next one is due. */
  nextAtMs: number
  /** Why the last attempt failed; null when it did not. */
  error: string | null
}

export interface BackupSchedule extends AsyncDisposable {
  status(): BackupStatus
}

export interface BackupScheduleDeps {
  shelf: BackupShelf
  everyMs: number
  /** Backups that are kept; the oldest go. */
  keep: number
  /** Unix milliseconds. */
  now: () => number
  /** Runs something again and again until it is disposed. */
  repeat: (run: () => void, everyMs: number) => Disposable
  onBackup: (backup: Backup) => void
  onError: (error: unknown) => void
}

/** Between two looks at the clock: it may be set, or the machine may sleep. In milliseconds. */
const LOOK_EVERY_MS = 60_000

/** After a failure, unless backups are made more often anyway. In milliseconds. */
const RETRY_MS = 15 * 60_000

/**
 * Makes a backup whenever the latest one is old enough, which the files themselves tell: a restart neither delays one nor
 * makes one too many. The first one is made at once.
 */
export function startBackupSchedule(parts: BackupScheduleDeps): BackupSchedule {
  const { shelf, everyMs, keep, now, repeat, onBackup, onError } = parts
  const stop = new AbortController()
  const state: BackupStatus = { last: null, nextAtMs: now(), error: null }
  let running: Promise<void> | null = null
  let retryAtMs: number | null = null

  async function look() {
    try {
      const backups = (await shelf.list()).toSorted((a, b) => b.atMs - a.atMs)
      state.last = backups[0] ?? null
      // One that is dated later than now was made by a clock that ran ahead.
      const dueAtMs = state.last === null || state.last.atMs > now() ? now() : state.last.atMs + everyMs
      state.nextAtMs = Math.max(dueAtMs, retryAtMs ?? 0)
      if (now() < state.nextAtMs || stop.signal.aborted) return
      const made = await shelf.make(now(), stop.signal)
      Object.assign(state, { last: made, nextAtMs: now() + everyMs, error: null })
      retryAtMs = null
      onBackup(made)
      for (const old of backups.slice(keep - 1)) await shelf.remove(old)
    } catch (error) {
      if (stop.signal.aborted) return
      retryAtMs = now() + Math.min(everyMs, RETRY_MS)
      Object.assign(state, { nextAtMs: retryAtMs, error: messageOf(error) })
      onError(error)
    }
  }

  const start = () => {
    running ??= look().finally(() => (running = null))
  }
  start()
  const timer = repeat(start, Math.min(LOOK_EVERY_MS, everyMs))
  return {
    status: () => ({ ...state }),
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]()
      stop.abort()
      await running
    },
  }
}
