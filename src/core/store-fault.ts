/** Why a database cannot be used, for messages, `/readyz` and `urlmeta doctor`. */
export type StoreFault =
  | 'full'
  | 'read_only'
  | 'locked'
  | 'damaged'
  | 'not_a_database'
  | 'foreign'
  | 'unknown_schema'
  | 'newer'
  | 'missing'
  | 'cannot_open'
  | 'io_error'
  | 'slow_disk'
  | 'unreachable'
  | 'timed_out'
  | 'access_denied'
  | 'certificate'
  | 'no_database'
  | 'too_many_connections'
  | 'transaction_pooling'
  | 'rejected_settings'
  | 'standby'

interface Explanation {
  /** The problem, as part of a sentence. Without paths or other internals, because `/readyz` is public. */
  text: string
  /** What an operator should do. */
  remedy: string
}

export const STORE_FAULTS: Record<StoreFault, Explanation> = {
  full: {
    text: 'the disk is full',
    remedy:
      'Free space on the disk of the data directory, or of the PostgreSQL server. The server recovers automatically.',
  },
  read_only: {
    text: 'the database is read-only',
    remedy: 'Make the data directory and the files in it writable for the user that runs urlmeta.',
  },
  locked: {
    text: 'the database is locked by another process',
    remedy: 'Find the process that holds urlmeta.db (fuser urlmeta.db) and end its transaction.',
  },
  damaged: {
    text: 'the database is damaged',
    remedy: 'Stop the server and restore a backup: urlmeta restore FILE, or pg_restore with PostgreSQL.',
  },
  not_a_database: {
    text: 'the file is not a database',
    remedy: 'Stop the server and restore a backup: urlmeta restore FILE.',
  },
  foreign: {
    text: 'the database belongs to another program',
    remedy:
      'Point URLMETA_DATA_DIR to the directory of urlmeta, or to an empty one; or URLMETA_DATABASE_URL to a separate database.',
  },
  unknown_schema: {
    text: 'the database has an unknown schema',
    remedy:
      'It is older than version 0.1.0, or another program has changed it. Restore a backup (urlmeta restore FILE), or point ' +
      'URLMETA_DATA_DIR to an empty directory.',
  },
  newer: {
    text: 'the database was written by a newer version of urlmeta',
    remedy:
      'Run that version, or restore a backup from before the upgrade: urlmeta restore FILE, or pg_restore with PostgreSQL.',
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
  slow_disk: {
    text: 'the disk does not respond in time',
    remedy: 'Check the load of the disk of the data directory, and the kernel log (dmesg) for its errors.',
  },
  unreachable: {
    text: 'the database server cannot be reached',
    remedy: 'Check that the server in URLMETA_DATABASE_URL is running, and that this machine can connect to it.',
  },
  timed_out: {
    text: 'the database server does not respond in time',
    remedy:
      'Check the load and the log of the database server, the network connection to it and, with PgBouncer, that its pool has 8 connections for each process.',
  },
  access_denied: {
    text: 'the database server denies access',
    remedy: 'Correct user, password and sslmode in URLMETA_DATABASE_URL, or the permissions of the user.',
  },
  certificate: {
    text: 'the certificate of the database server is not trusted',
    remedy: 'Correct sslmode and sslrootcert in URLMETA_DATABASE_URL, or renew the certificate of the server.',
  },
  no_database: {
    text: 'there is no such database on the server',
    remedy: 'Create the database (createdb), or correct its name in URLMETA_DATABASE_URL.',
  },
  too_many_connections: {
    text: 'the database server accepts no more connections',
    remedy:
      'Raise max_connections of the server, or max_client_conn and the pool sizes of PgBouncer: each urlmeta process opens up to 8 connections.',
  },
  transaction_pooling: {
    text: 'the connection pooler does not keep a connection for the whole session',
    remedy: 'Set pool_mode = session in PgBouncer.',
  },
  rejected_settings: {
    text: 'the connection pooler rejects settings of the session',
    remedy:
      'Set ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,default_transaction_isolation in PgBouncer.',
  },
  standby: {
    text: 'the database server is a read-only standby',
    remedy: 'Set URLMETA_DATABASE_URL to the primary server.',
  },
}

/** The database cannot be used. `cause` is the database's own error. */
export class StoreError extends Error {
  override name = 'StoreError'
  constructor(
    readonly fault: StoreFault,
    /** `detail` is for operators, so it is only given while the server does not run. */
    { detail, ...options }: ErrorOptions & { detail?: string } = {},
  ) {
    super(detail === undefined ? STORE_FAULTS[fault].text : `${STORE_FAULTS[fault].text} (${detail})`, options)
  }
}

/** The message with the database server's own error, for operators only. */
export function messageWithCause({ message, cause }: StoreError): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
