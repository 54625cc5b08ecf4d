import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

import { cachePathOf } from '../../store/sqlite/open.ts'
import { fileIdOf } from '../../store/files/file-id.ts'
import { WAL_SUFFIXES } from '../../store/sqlite/wal-files.ts'

/** The first bytes of the kinds of files that may be replaced. */
const STARTS = {
  // https://sqlite.org/fileformat.html#magic_header_string
  'a database': Buffer.from('SQLite format 3\0'),
  'an export': Buffer.from('{"urlmeta_export":'),
} as const
/** The part of the header of a database up to the number of pages. */
const HEAD_BYTES = 32

/**
 * The file to write a backup or an export to: `path`, or the target of the link at `path`. An existing file is only
 * replaced if it is empty or of the same kind, so that a wrong argument does not replace another file, such as the
 * secret.
 * @throws Error with the reason why the file must not be written
 */
export async function backupTarget(path: string, database: string, kind: keyof typeof STARTS): Promise<string> {
  if (path === '') throw new Error('the path is empty')
  if (isDatabaseInUse(path, database)) throw new Error('that is the database itself')
  const directory = dirname(path)
  if (!isDirectory(directory)) throw new Error(`there is no directory ${directory}`)
  const isNew = !lstatSync(path, { throwIfNoEntry: false })
  const file = isNew ? path : regularFile(path)
  // SQLite would apply this log, which belongs to another database, to the backup. A server may be using that database.
  const log = ['-wal', '-journal'].map((suffix) => file + suffix).find((name) => existsSync(name))
  if (log !== undefined) throw new Error(`${log} is the log of another database; choose another name`)
  if (isNew) return file
  // The lock of the server is an empty file of the data directory.
  const isEmpty = statSync(file).size === 0 && dirname(file) !== dirname(locationOf(database))
  if (!isEmpty && !isOf(kind, await startOf(file))) throw new Error(`that file is not ${kind}, so it is not replaced`)
  return file
}

/**
 * The file to restore or import: `path`, or the target of the link at `path`.
 * @throws Error with the reason why the file cannot be read
 */
export function backupSource(path: string, database: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })) throw new Error('there is no such file')
  if (isDatabaseInUse(path, database)) throw new Error('that is the database itself')
  return regularFile(path)
}

/** Resolves symbolic links. Opening a FIFO would wait for a writer, and renaming a file over a device would replace it. */
function regularFile(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new Error('that is a link to a file that does not exist')
  if (stats.isDirectory()) throw new Error('that is a directory')
  if (!stats.isFile()) throw new Error('that is not a regular file')
  return realpathSync(path)
}

/** Whether the path refers to the database or its cache, or to a file that belongs to the database or cache. */
function isDatabaseInUse(path: string, database: string): boolean {
  const suffixes = ['', ...WAL_SUFFIXES]
  const used = [database, cachePathOf(database)].flatMap((file) => suffixes.map((suffix) => file + suffix))
  const [target, id] = [locationOf(path), fileIdOf(path)]
  return used.some((file) => locationOf(file) === target || (id !== null && fileIdOf(file) === id))
}

/** Resolves the directory of a path. The file need not exist. */
function locationOf(path: string): string {
  const directory = resolve(dirname(path))
  return join(isDirectory(directory) ? realpathSync(directory) : directory, basename(path))
}

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

/**
 * Whether a file of this size has all pages of a database, according to its header. A copy that was interrupted lacks
 * pages.
 */
export async function hasAllPages(file: string, bytes: number): Promise<boolean> {
  const start = await startOf(file)
  const pageBytes = start.readUInt16BE(16)
  // The value 1 means 65,536, which does not fit in the field.
  return isOf('a database', start) && (pageBytes === 1 ? 65_536 : pageBytes) * start.readUInt32BE(28) === bytes
}

const isOf = (kind: keyof typeof STARTS, start: Buffer) => start.indexOf(STARTS[kind]) === 0

/** The first bytes of a file, padded with zeros if the file is shorter. */
async function startOf(file: string): Promise<Buffer> {
  const start = Buffer.alloc(HEAD_BYTES)
  start.set(await Bun.file(file).slice(0, HEAD_BYTES).bytes())
  return start
}
