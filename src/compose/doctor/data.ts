import { accessSync, constants, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { bytesText } from '../../core/byte-count.ts'
import type { Config } from '../../config.ts'
import { messageOf } from '../../core/errors.ts'
import { type DoctorCheck, failed, type Finding, ok, skipped, warning } from '../../service/operation/doctor.ts'
import {
  backupsFinding,
  migrationsFinding,
  secretFileFinding,
  spaceFinding,
} from '../../service/operation/doctor/data.ts'
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
    {
      name: 'free space',
      run: async () => spaceFinding(await freeBytes(existsSync(dataDir) ? dataDir : nearestParent(dataDir))),
    },
    { name: 'server', run: async () => checkServer(dataDir) },
    { name: 'database', run: async (signal) => (hasDatabase() ? checkIntegrity(path, signal) : none) },
    {
      name: 'migrations',
      run: async () => (hasDatabase() ? migrationsFinding(schemaOf(path) !== 'current', 'urlmeta backup FILE') : none),
    },
    { name: 'expired rows', run: async () => checkSweepClock(config) },
    { name: 'backups', run: () => checkBackups(config) },
  ]
}

/** Matches the databases of accounts and of the cache, the files that SQLite keeps beside them, and the lock. */
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
  if (inaccessible.length > 0) {
    const remedy = `chown --reference=${dataDir} ${inaccessible.join(' ')}`
    return failed(`cannot read and write ${inaccessible.join(', ')}`, remedy)
  }
  const open = names.filter((name) => isOpenToOthers(join(dataDir, name)))
  if (open.length > 0) {
    const remedy = `chmod go= ${open.map((name) => join(dataDir, name)).join(' ')}`
    return warning(`others can read or write ${open.join(', ')}`, remedy)
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

/** Checks that the secret can be used and, with PostgreSQL, that all processes share the secret. */
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
  return secretFileFinding({ path, dataDir, exists: text !== null, isDatabaseShared: database.kind !== 'SQLite' })
}

async function checkBackups(config: Config): Promise<Finding> {
  const { backup } = config
  if (backup === null) {
    const remedy = 'Set URLMETA_BACKUP_DIR to a directory on another disk, or run urlmeta backup from cron.'
    return warning('no backups are scheduled', remedy)
  }
  const { directory, everyMs } = backup
  const times = (await backupFiles(config, directory).list()).map(({ atMs }) => atMs)
  return backupsFinding(directory, everyMs, times, Date.now())
}
