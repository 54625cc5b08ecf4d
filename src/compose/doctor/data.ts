import { accessSync, constants, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { bytesText } from '../../core/byte-count.ts'
import { HOUR_MS } from '../../core/duration.ts'
import type { Config } from '../../config.ts'
import { messageOf } from '../../core/errors.ts'
import { type DoctorCheck, failed, type Finding, ok, skipped, warning } from '../../service/operation/doctor.ts'
import { serverPid } from '../../store/files/directory-lock.ts'
import { isOpenToOthers } from '../../store/files/private-file.ts'
import { readSecretFile } from '../../store/files/secret-file.ts'
import { schemaOf } from '../../store/sqlite/backup.ts'
import { backupFiles } from '../data/backup.ts'
import { freeBytes } from '../data/data-dir.ts'
import { moveStateOf } from '../data/move-record.ts'
import { SECRET_FILE } from '../data/secret.ts'
import { HIDDEN_COMMANDS, ownCommand } from '../../own-command.ts'
import { checkSweepClock } from '../sweep-clock.ts'
import { postgresChecks } from './postgres.ts'

/** Free space: below the first limit, writes may fail soon; below the second, a warning leaves time to free some. */
const NO_SPACE_BYTES = 100 * 1024 ** 2
const LITTLE_SPACE_BYTES = 1024 ** 3

export function dataChecks(config: Config): DoctorCheck[] {
  const { dataDir, database, secret } = config
  const directory = { name: 'data directory', run: async () => checkDirectory(dataDir) }
  const secretCheck = { name: 'secret', run: async () => checkSecret(config) }
  switch (database.kind) {
    case 'SQLite':
      return [directory, secretCheck, ...sqliteChecks(config, database.file)]
    case 'PostgreSQL':
      return [...(secret === null ? [directory] : []), secretCheck, ...postgresChecks(database.url)]
  }
}

function sqliteChecks(config: Config, path: string): DoctorCheck[] {
  const { dataDir } = config
  const hasDatabase = () => existsSync(path)
  const none = skipped('there is no database yet')
  const moved = moveStateOf(config)
  if (moved !== null) return [{ name: 'database', run: async () => failed(moved.text, moved.remedy) }]
  return [
    { name: 'free space', run: () => checkSpace(dataDir) },
    { name: 'server', run: async () => checkServer(dataDir) },
    { name: 'database', run: async (signal) => (hasDatabase() ? checkIntegrity(path, signal) : none) },
    { name: 'migrations', run: async () => (hasDatabase() ? checkSchema(path) : none) },
    { name: 'expired rows', run: async () => checkSweepClock(config) },
    { name: 'backups', run: () => checkBackups(config) },
  ]
}

/** The databases of accounts and of the cache, with the files that SQLite keeps beside them, and the lock. */
const DATABASE_FILE = /^(?:urlmeta(?:-cache)?\.db(?:-wal|-shm)?|serve\.lock)$/

function checkDirectory(dataDir: string): Finding {
  if (!existsSync(dataDir)) return checkParent(dataDir)
  const draft = join(dataDir, `.doctor-${process.pid}`)
  try {
    writeFileSync(draft, 'urlmeta doctor', { mode: 0o600 })
    rmSync(draft)
  } catch (error) {
    if (existsSync(draft)) rmSync(draft)
    const remedy = `Make ${dataDir} writable for the user that runs urlmeta, and check that its disk is not full.`
    return failed(`cannot write to ${dataDir}: ${messageOf(error)}`, remedy)
  }
  const names = readdirSync(dataDir)
  const databases = names.filter((name) => DATABASE_FILE.test(name)).map((name) => join(dataDir, name))
  const inaccessible = databases.filter((path) => !isAccessible(path))
  if (inaccessible.length > 0)
    return failed(
      `cannot read and write ${inaccessible.join(', ')}`,
      `chown --reference=${dataDir} ${inaccessible.join(' ')}`,
    )
  const open = names.filter((name) => isOpenToOthers(join(dataDir, name)))
  if (open.length > 0) {
    return warning(
      `others can read or write ${open.join(', ')}`,
      `chmod go= ${open.map((name) => join(dataDir, name)).join(' ')}`,
    )
  }
  if (isOpenToOthers(dataDir)) return warning(`others can list ${dataDir}`, `chmod 700 ${dataDir}`)
  return ok(`${dataDir} is writable and private`)
}

function isAccessible(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

function checkParent(dataDir: string): Finding {
  const parent = nearestParent(dataDir)
  try {
    accessSync(parent, constants.W_OK)
  } catch (error) {
    const remedy = `Make ${parent} writable for the user that runs urlmeta, or set URLMETA_DATA_DIR to another directory.`
    return failed(`cannot create ${dataDir}: ${messageOf(error)}`, remedy)
  }
  return ok(`${dataDir} will be created by the server`)
}

function nearestParent(path: string): string {
  const parent = dirname(resolve(path))
  return existsSync(parent) ? parent : nearestParent(parent)
}

async function checkSpace(dataDir: string): Promise<Finding> {
  const free = await freeBytes(existsSync(dataDir) ? dataDir : nearestParent(dataDir))
  const detail = `${bytesText(free)} are free`
  const remedy = 'Free space on this disk, or lower URLMETA_CACHE_MAX_ENTRIES.'
  if (free < NO_SPACE_BYTES) return failed(detail, remedy)
  return free < LITTLE_SPACE_BYTES ? warning(detail, remedy) : ok(detail)
}

function checkServer(dataDir: string): Finding {
  const pid = serverPid(dataDir)
  return pid === null ? skipped('no server uses this data directory') : ok(`process ${pid} uses the data directory`)
}

/** Runs in a separate process, because reading a large database takes minutes and would block the other checks. */
async function checkIntegrity(path: string, signal: AbortSignal): Promise<Finding> {
  const child = Bun.spawn(ownCommand(HIDDEN_COMMANDS.checkDatabase, '--', path), {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
    killSignal: 'SIGKILL',
    signal,
  })
  const [text, code] = await Promise.all([child.stdout.text(), child.exited])
  if (signal.aborted) return warning('reading the whole database takes too long', 'urlmeta backup FILE checks it too.')
  if (code === 0) return ok(`readable, writable and intact, ${bytesText(statSync(path).size)}`)
  const { error, remedy } = JSON.parse(text) as { error: string; remedy: string }
  return failed(error, remedy)
}

/** @throws StoreError for a database that this version cannot use */
function checkSchema(path: string): Finding {
  if (schemaOf(path) === 'current') return ok('no pending migrations')
  return warning(
    'migrations are pending',
    'Make a backup (urlmeta backup FILE), then restart the server: it applies them.',
  )
}

/** Checks that the secret can be used and, with PostgreSQL, that all processes share it. */
function checkSecret({ secret, dataDir, database }: Config): Finding {
  if (secret !== null) return ok('URLMETA_SECRET is set')
  const path = join(dataDir, SECRET_FILE)
  let text: string | null
  try {
    text = readSecretFile(path)
  } catch (error) {
    const remedy = `Make ${path} readable for the user that runs urlmeta, or restore it. If you delete it, links to images stop working.`
    return failed(messageOf(error), remedy)
  }
  if (database.kind === 'SQLite') return text === null ? skipped('the server creates it') : ok(`${path} is readable`)
  return warning(
    `it was generated in ${dataDir}, so processes with other data directories have other secrets`,
    `Set URLMETA_SECRET to the same value on every process: the content of ${path}, or the output of ` +
      'openssl rand -hex 32 if there are no accounts yet.',
  )
}

async function checkBackups(config: Config): Promise<Finding> {
  const { backup } = config
  if (backup === null) {
    return warning(
      'no backups are scheduled',
      'Set URLMETA_BACKUP_DIR to a directory on another disk, or run urlmeta backup from cron.',
    )
  }
  const { directory, everyMs } = backup
  const times = (await backupFiles(config, directory).list()).map(({ atMs }) => atMs)
  // A backup dated in the future was created while the clock was wrong, so its age is unknown.
  const latest = Math.max(...times.filter((atMs) => atMs <= Date.now()))
  const remedy = 'Check that a server runs with this configuration; its log has the reason of a failed backup.'
  if (latest === Number.NEGATIVE_INFINITY) return failed(`no backup in ${directory}`, remedy)
  const hours = (Date.now() - latest) / HOUR_MS
  const detail = `the latest in ${directory} is ${hours < 1 ? 'less than an hour' : `${Math.floor(hours)} h`} old`
  return Date.now() - latest > 2 * everyMs ? failed(detail, remedy) : ok(detail)
}
