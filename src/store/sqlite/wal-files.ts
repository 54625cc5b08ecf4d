import { fileIdOf } from '../files/file-id.ts'

/** The suffixes of the files that SQLite keeps beside a database in WAL mode, with its permissions. */
export const WAL_SUFFIXES = ['-wal', '-shm'] as const

/** The same while a database, its write-ahead log and their shared memory are the same files. */
export const idOfFiles = (path: string) => ['', ...WAL_SUFFIXES].map((suffix) => fileIdOf(path + suffix)).join(' ')
