import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

import { cachePathOf } from '../../store/sqlite/open.ts'
import { fileIdOf } from '../../store/files/file-id.ts'
import { WAL_SUFFIXES } from '../../store/sqlite/wal-files.ts'

/** The first bytes of every SQLite database. https://sqlite.org/fileformat.html#magic_header_string */
const HEADER = Buffer.from('SQLite format 3\0')
/** The part of the header up to the number of pages. */
const HEAD_BYTES = 32

/**
 * The file to write a backup to: `path`, or what it links to. An existing file is only replaced if it is empty or a
 * database, so that a wrong argument does not replace another file, such as the secret.
 * @throws Error with the reason why it must not be written
 */
export async function backupTarget(path: string, database: string): Promise<string> {
  if (path === '') throw new Error('the path is empty')
  if (isDatabaseInUse(path, database)) throw new Error('that is the database itself')
  const directory = dirname(path)
  if (!isDirectory(directory)) throw new Error(`there is no directory ${directory}`)
  const isNew = !lstatSync(path, { throwIfNoEntry: false })
  const file = isNew ? path : regularFile(path)
  // SQLite would apply the log of another database to the backup. A server may be using that database.
  const log = ['-wal', '-journal'].map((suffix) => file + suffix).find((name) => existsSync(name))
  if (log !== undefined) throw new Error(`${log} is the log of another database; choose another name`)
  if (isNew) return file
  // The lock of the server is an empty file of the data directory.
  const isEmpty = statSync(file).size === 0 && dirname(file) !== realpathSync(dirname(database))
  if (!isEmpty && !isDatabase(await startOf(file))) throw new Error('that file is not a database, so it is not replaced')
  return file
}

/** The file to restore: `path`, or what it links to. @throws Error with the reason why it cannot be restored */
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

/** Whether the path refers to the database or its cache, or to a file that belongs to one of them. */
function isDatabaseInUse(path: string, database: string): boolean {
  const suffixes = ['', ...WAL_SUFFIXES]
  const used = [database, cachePathOf(database)].flatMap((file) => suffixes.map((suffix) => file + suffix))
  const [target, id] = [locationOf(path), fileIdOf(path)]
  return used.some((file) => locationOf(file) === target || (id !== null && fileIdOf(file) === id))
}

/** The path with its directory resolved; the file need not exist. */
function locationOf(path: string): string {
  const directory = resolve(dirname(path))
  return join(isDirectory(directory) ? realpathSync(directory) : directory, basename(path))
}

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

/** Whether a file of this size has all pages of a database, by its header. A copy that was interrupted lacks some. */
export async function hasAllPages(file: string, bytes: number): Promise<boolean> {
  const start = await startOf(file)
  const pageBytes = start.readUInt16BE(16)
  // 65,536 does not fit in the field.
  return isDatabase(start) && (pageBytes === 1 ? 65_536 : pageBytes) * start.readUInt32BE(28) === bytes
}

const isDatabase = (start: Buffer) => start.subarray(0, HEADER.length).equals(HEADER)

/** The first bytes of a file, padded with zeros if it is shorter. */
async function startOf(file: string): Promise<Buffer> {
  const start = Buffer.alloc(HEAD_BYTES)
  start.set(await Bun.file(file).slice(0, HEAD_BYTES).bytes())
  return start
}
