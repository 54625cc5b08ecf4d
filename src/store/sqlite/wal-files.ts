import { fileIdOf } from '../files/file-id.ts'

/** The suffixes of the files that SQLite keeps beside a database in WAL mode, with the permissions of the database. */
export const WAL_SUFFIXES = ['-wal', '-shm'] as const

/**
 * Identifies a database with its write-ahead log and shared memory. The id changes when one of the files is deleted or
 * replaced.
 */
export const idOfFiles = (path: string) => ['', ...WAL_SUFFIXES].map((suffix) => fileIdOf(path + suffix)).join(' ')
