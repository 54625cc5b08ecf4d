/** Why a database cannot be used, for messages, `/readyz` and `urlmeta doctor`. */
export type StoreFault =
  | 'full'
  | 'read_only'
  | 'locked'
  | 'damaged'
  | 'not_a_database'
  | 'foreign'
  | 'newer'
  | 'missing'
  | 'cannot_open'
  | 'io_error'

interface Explanation {
  /** The problem, as part of a sentence. Without paths or other internals, because `/readyz` is public. */
  text: string
  /** What an operator should do. */
  remedy: string
}

export const STORE_FAULTS: Record<StoreFault, Explanation> = {
  full: {
    text: 'the disk is full',
    remedy: 'Free space on the disk of the data directory. The server recovers automatically.',
  },
  read_only: {
    text: 'the database is read-only',
    remedy: 'Make the data directory and the files in it writable for the user that runs urlmeta.',
  },
  locked: {
    text: 'another process holds the database locked',
    remedy: 'Find the process that holds urlmeta.db (fuser urlmeta.db) and end its transaction.',
  },
  damaged: {
    text: 'the database is damaged',
    remedy: 'Stop the server and restore a backup: urlmeta restore FILE.',
  },
  not_a_database: {
    text: 'the file is not a database',
    remedy: 'Stop the server and restore a backup: urlmeta restore FILE.',
  },
  foreign: {
    text: 'the file is a database of another program',
    remedy: 'Point URLMETA_DATA_DIR to the directory of urlmeta, or to an empty one.',
  },
  newer: {
    text: 'the database was written by a newer version of urlmeta',
    remedy: 'Run that version, or restore a backup from before the upgrade: urlmeta restore FILE.',
  },
  missing: {
    text: 'the database file was deleted or replaced',
    remedy: 'Put the file back, or restart the server to use the current file.',
  },
  cannot_open: {
    text: 'the database cannot be opened',
    remedy: 'Make sure that the data directory exists and belongs to the user that runs urlmeta.',
  },
  io_error: {
    text: 'the disk reports an error',
    remedy: 'Check the kernel log (dmesg) for errors of the disk of the data directory, and have a backup ready.',
  },
}

/** The database cannot be used. `cause` is the database's own error. */
export class StoreError extends Error {
  override name = 'StoreError'
  constructor(
    readonly fault: StoreFault,
    options?: ErrorOptions,
  ) {
    super(STORE_FAULTS[fault].text, options)
  }
}
