import { bytesText } from '../../../core/byte-count.ts'
import { HOUR_MS } from '../../../core/duration.ts'
import { StoreError } from '../../../core/store-fault.ts'
import { failed, type Finding, ok, skipped, warning } from '../doctor.ts'
import { type ClockReading, type ClockRecord, isClockTrusted, jumpText, PAUSE_REMEDY } from '../sweep-clock.ts'
import remedies from './remedies.json'

/**
 * With less free space than the first limit, writes may fail soon. With less than the second limit, a warning leaves
 * time to free space.
 */
const NO_SPACE_BYTES = 100 * 1024 ** 2
const LITTLE_SPACE_BYTES = 1024 ** 3

/**
 * In milliseconds. With PostgreSQL, a request waits for two or three round trips, so a slower database delays every
 * response.
 */
const SLOW_MS = 10

export function spaceFinding(freeBytes: number): Finding {
  const detail = `${bytesText(freeBytes)} are free`
  if (freeBytes < NO_SPACE_BYTES) return failed(detail, remedies.space)
  return freeBytes < LITTLE_SPACE_BYTES ? warning(detail, remedies.space) : ok(detail)
}

/** The file of the secret in the data directory, used if no secret is configured. */
interface SecretFile {
  path: string
  dataDir: string
  /** Whether the server has created the file. */
  exists: boolean
  /** Whether processes with other data directories use the same database. */
  isDatabaseShared: boolean
}

export function secretFileFinding({ path, dataDir, exists, isDatabaseShared }: SecretFile): Finding {
  if (!isDatabaseShared) return exists ? ok(`${path} is readable`) : skipped('the server creates it')
  return warning(
    `it was generated in ${dataDir}, so processes with other data directories have other secrets`,
    `Set URLMETA_SECRET to the same value on every process: the content of ${path}, or the output of ` +
      'openssl rand -hex 32 if there are no accounts yet.',
  )
}

/** @param backup the command that creates a backup */
export function migrationsFinding(arePending: boolean, backup: string): Finding {
  if (!arePending) return ok('no pending migrations')
  return warning('migrations are pending', `Make a backup (${backup}), then restart the server: it applies them.`)
}

/** @throws StoreError for a database that this version cannot use */
export function postgresSchemaFinding(schema: 'empty' | 'older' | 'current' | 'newer' | 'foreign'): Finding {
  if (schema === 'empty') return ok('the database is empty; the server creates its tables')
  if (schema === 'newer' || schema === 'foreign') throw new StoreError(schema)
  return migrationsFinding(schema === 'older', 'pg_dump')
}

interface PostgresServer {
  version: string
  latencyMs: number
  cancelsStatements: boolean
}

export function postgresServerFinding({ version, latencyMs, cancelsStatements }: PostgresServer): Finding {
  const detail = `PostgreSQL ${version}, ${latencyMs.toFixed(1)} ms per round trip`
  if (!cancelsStatements) return warning('slow statements are not cancelled', remedies.statement_timeout)
  return latencyMs > SLOW_MS ? warning(detail, remedies.slow_database) : ok(detail)
}

/** Reports whether expired rows are deleted. @param latest null before the first server has run */
export function sweepClockFinding(latest: ClockRecord | null, now: ClockReading): Finding {
  if (latest === null) return skipped('no server has run yet')
  if (!latest.isPaused && isClockTrusted(latest, now)) return ok('are deleted every ten minutes')
  return failed(`are not deleted: ${jumpText(latest.atMs)}`, `${PAUSE_REMEDY}.`)
}

/** @param times of the backups in the directory, in Unix milliseconds */
export function backupsFinding(directory: string, everyMs: number, times: readonly number[], nowMs: number): Finding {
  // A backup dated in the future was created while the clock was wrong, so its age is unknown.
  const latest = Math.max(...times.filter((atMs) => atMs <= nowMs))
  const remedy = remedies.backups
  if (latest === Number.NEGATIVE_INFINITY) return failed(`no backup in ${directory}`, remedy)
  const hours = (nowMs - latest) / HOUR_MS
  const detail = `the latest in ${directory} is ${hours < 1 ? 'less than an hour' : `${Math.floor(hours)} h`} old`
  return nowMs - latest > 2 * everyMs ? failed(detail, remedy) : ok(detail)
}
