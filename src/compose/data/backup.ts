import { existsSync, statSync } from 'node:fs'
import { exists, mkdir, readdir, rm, stat, unlink } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { join } from 'node:path'

import { attempt } from '../../core/attempt.ts'
import { HOUR_MS } from '../../core/duration.ts'
import type { FixedConfig } from '../../config.ts'
import { BACKUP_PROGRAMS } from '../../config/database.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import type { Backup, BackupFiles, ScheduledBackup } from '../../service/operation/backup-schedule.ts'
import { copyDatabase, restoreDatabase, sizeOfCopy } from '../../store/sqlite/backup.ts'
import { backupSource, backupTarget, hasAllPages } from './backup-paths.ts'
import { lockDataDir, noDatabaseIn } from './data-dir.ts'
import { moveStateOf, requireNotMoved } from './move-record.ts'
import { HIDDEN_COMMANDS, ownCommand } from '../../own-command.ts'

export { copyDatabase }

/** The deadline of a copy, in milliseconds: enough for 100 GB at 30 MB/s. */
const BACKUP_DEADLINE_MS = HOUR_MS

/** How often progress is reported, in milliseconds. */
const PROGRESS_MS = 200

export interface BackupOptions {
  /** Cancels the copy and deletes the partial file. */
  signal: AbortSignal
  /** Called with the number of bytes written and, if known, the total. */
  onProgress?: (done: number, total: number | null) => void
}

/**
 * Writes a consistent snapshot of the database to `file`. An existing file is replaced after the copy is complete and
 * checked. Works while a server runs: a separate process with a lower priority creates the copy.
 * @throws AppError
 */
export async function backUp(config: FixedConfig, file: string, options: BackupOptions): Promise<Backup> {
  const startedAtMs = performance.now()
  const { database } = config
  const fail = (why: string) => new AppError('internal', `Cannot back up to ${file}: ${why}`)
  if (database.kind !== 'SQLite') throw fail(otherProgram('backup', 'backed up'))
  const source = database.file
  try {
    requireNotMoved(config)
    if (!existsSync(source)) throw new Error(noDatabaseIn(config))
    const target = await backupTarget(file, source, 'a database')
    await writeBackup(source, target, options)
    const { size, mtimeMs } = await stat(target)
    return { file, bytes: size, atMs: mtimeMs, tookMs: Math.round(performance.now() - startedAtMs) }
  } catch (error) {
    throw fail(messageOf(error))
  }
}

/** Copies the database to a file beside `target`, and then replaces `target` with the copy. */
async function writeBackup(source: string, target: string, options: BackupOptions): Promise<void> {
  const draft = `${target}.${process.pid}.partial`
  await rm(draft, { force: true })
  try {
    await copyInProcess(source, draft, target, options)
  } finally {
    for (const suffix of ['', '-journal']) await rm(draft + suffix, { force: true })
  }
}

async function copyInProcess(source: string, draft: string, target: string, { signal, onProgress }: BackupOptions) {
  const child = Bun.spawn(ownCommand(HIDDEN_COMMANDS.copyDatabase, '--', source, draft, target), {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: BACKUP_DEADLINE_MS,
    killSignal: 'SIGKILL',
    signal,
  })
  // Fails if the process has already exited, or if the operating system does not allow changing the priority.
  attempt(() => setPriority(child.pid, 10))
  const total = onProgress ? sizeOfCopy(source) : null
  using _timer = setInterval(
    () => onProgress?.(statSync(draft, { throwIfNoEntry: false })?.size ?? 0, total),
    PROGRESS_MS,
  )
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code === 0) return
  if (signal.aborted) throw new Error('it was interrupted')
  const reason = stderr.trim().replace(/^urlmeta: /, '')
  throw new Error(reason || `the copying process exited with ${child.signalCode ?? code}`)
}

/** The disk of scheduled backups may be slow or not respond, so the main thread waits for none of these operations. */
export function backupFiles(config: FixedConfig, directory: string): BackupFiles {
  return {
    async list() {
      if (!(await exists(directory))) return []
      const names = (await readdir(directory)).filter((name) => NAME.test(name))
      const backups = await Array.fromAsync(names, (name) => backupIn(directory, name))
      return backups.filter((backup) => backup !== null)
    },
    async create(namedAtMs, signal) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      // A process that was killed left this file.
      for (const name of await readdir(directory)) if (PARTIAL.test(name)) await rm(join(directory, name))
      return backUp(config, join(directory, `urlmeta-${compactTime(namedAtMs)}.db`), { signal })
    },
    remove: ({ file }) => unlink(file),
  }
}

/** Null if the file cannot be a backup: it was deleted meanwhile, belongs to another user, or is incomplete. */
async function backupIn(directory: string, name: string): Promise<ScheduledBackup | null> {
  const file = join(directory, name)
  try {
    const stats = await stat(file)
    if (!stats.isFile() || !(await hasAllPages(file, stats.size))) return null
    const { size: bytes, mtimeMs: atMs } = stats
    // NaN if the name has a time that does not exist, such as 25:00.
    return { file, bytes, atMs, namedAtMs: Date.parse(name.replace(NAME, ISO_TIME)) || atMs, tookMs: 0 }
  } catch (error) {
    if (/^(ENOENT|ELOOP|EACCES)$/.test((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

/** `urlmeta-20261121T120000Z.db`. Other files in the directory are not touched. */
const NAME = /^urlmeta-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/
const ISO_TIME = '$1-$2-$3T$4:$5:$6Z'
const PARTIAL = /^urlmeta-\d{8}T\d{6}Z\.db\.\d+\.partial(-journal)?$/

const compactTime = (atMs: number) => new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')

/**
 * Replaces the database with a backup. The previous database is kept in the same directory.
 * @throws AppError if a server uses the data directory, or if the file is not an intact database
 */
export function restore(config: FixedConfig, file: string, nowMs: number) {
  const fail = (why: string) => new AppError('internal', `Cannot restore ${file}: ${why}; nothing was changed`)
  const { database } = config
  if (database.kind !== 'SQLite') throw fail(otherProgram('restore', 'restored'))
  const moved = moveStateOf(config)
  if (moved !== null) throw fail(moved.text)
  const path = database.file
  try {
    const source = backupSource(file, path)
    using _ = lockDataDir(config, 'replace')
    return restoreDatabase(source, path, `before-restore-${compactTime(nowMs)}`)
  } catch (error) {
    throw error instanceof AppError ? error : fail(messageOf(error))
  }
}

const otherProgram = (command: keyof typeof BACKUP_PROGRAMS, done: string) =>
  `the database is PostgreSQL (URLMETA_DATABASE_URL), which is ${done} with ${BACKUP_PROGRAMS[command]}`
