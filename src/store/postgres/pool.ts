import { drizzle } from 'drizzle-orm/bun-sql'

import { MINUTE_MS } from '../../core/duration.ts'
import { StoreError } from '../../core/store-fault.ts'
import { PATIENT_DEADLINES, REQUEST_DEADLINES, timedOut, within } from '../deadline.ts'
import { type Method, wrapMethods } from '../wrap-methods.ts'
import { WRITE_PROBE } from './probe.ts'
import { faultOf, sqlStateOf, toStoreError } from './store-error.ts'

/**
 * Connections per process. Requests share round trips, so a few connections are enough, and ten processes stay below the
 * 100 connections that a server accepts by default.
 */
export const MAX_CONNECTIONS = 8

/**
 * Every connection sends these settings, even before the pool is used. PgBouncer refuses settings that it does not
 * know, and thus does so at start-up.
 */
const SESSION_SETTINGS = {
  // In milliseconds. The server ends a transaction that is idle longer, because its row locks block other processes.
  idle_in_transaction_session_timeout: 5_000,
  // The server's default. With a stricter level, any two concurrent batches of one user would conflict.
  default_transaction_isolation: 'read committed',
} as const

/** Settings that some sessions need in addition, see `session.ts`. */
export type SessionSettings = Readonly<{ search_path?: string }>

/** A sweep deletes rows in many short statements. */
const SWEEP_DEADLINE_MS = 10 * MINUTE_MS

/**
 * The maximum wait for a test of a server that did not respond, in milliseconds. The first wait is the deadline of a
 * call, and each further wait is twice as long. While its machine or disk hangs, a server keeps the sessions of
 * abandoned connections.
 */
const MAX_TEST_MS = 30_000

/** The maximum number of concurrent calls: more than a server can complete within the deadline. */
const MAX_CALLS = 10_000

/** Connections are replaced after this time, in seconds, to follow a change of the server's DNS records. */
const CONNECTION_SECONDS = { idleTimeout: 60, maxLifetime: 30 * 60 } as const

/** How long closing waits for running statements, in seconds. */
const CLOSE_SECONDS = 2

/** Connections to a database, reopened after it restarts. The caller disposes the pool. */
export type Pool = ReturnType<typeof openPool>

/**
 * The pool connects at its first statement. If no call succeeds for the length of one deadline, all calls fail
 * immediately until a single new connection can write.
 */
export function openPool(url: string, deadlines = REQUEST_DEADLINES, settings = {}, size = MAX_CONNECTIONS) {
  const { callMs, statementMs } = deadlines
  const connect = (max = size) => createClient(url, 'urlmeta', { max, ...CONNECTION_SECONDS }, statementMs, settings)
  let client = connect()
  let respondedAtMs = 0
  /** The test connection to a server that does not respond; null while the server responds. */
  let tester: Bun.SQL | null = null
  /** Functions that reject the calls in progress. */
  const calls = new Set<(error: StoreError) => void>()

  /** Replaces the client, which would otherwise reuse unresponsive connections, or connections to the wrong server. */
  function replaceClient(used: Bun.SQL) {
    client = connect()
    void used.close({ timeout: CLOSE_SECONDS }).catch(() => {})
  }

  /**
   * Handles a call without a response. If no call got a response since that call started, all calls fail until the
   * server responds again.
   */
  function onSilence(used: Bun.SQL, startedAtMs: number) {
    if (used !== client) return
    replaceClient(used)
    if (respondedAtMs > startedAtMs) return
    for (const rejectCall of calls) rejectCall(timedOut('no response'))
    void waitForServer()
  }

  async function waitForServer() {
    for (let waitMs = callMs; ; waitMs = Math.min(2 * waitMs, MAX_TEST_MS)) {
      tester = connect(1)
      try {
        await within(waitMs, tester.unsafe(WRITE_PROBE))
        break
      } catch (error) {
        // After other errors, including disposal of the pool, calls fail immediately anyway.
        if (faultOf(error) !== 'timed_out') break
      } finally {
        void tester.close({ timeout: 0 }).catch(() => {})
      }
    }
    tester = null
  }

  /**
   * Waits for the call until the deadline. After the deadline, `isAwaited` returns false. Throws faults as StoreError.
   */
  async function withDeadline<T>(call: (isAwaited: () => boolean) => Promise<T>, deadlineMs = callMs): Promise<T> {
    if (tester !== null) throw timedOut('no response since an earlier deadline')
    if (calls.size >= MAX_CALLS) throw timedOut(`${MAX_CALLS} calls are already in progress`)
    const used = client
    const startedAtMs = performance.now()
    const { promise: failed, reject } = Promise.withResolvers<never>()
    calls.add(reject)
    using _timer = setTimeout(() => {
      reject(timedOut(`no response within ${deadlineMs} ms`))
      onSilence(used, startedAtMs)
    }, deadlineMs)
    try {
      const result = await Promise.race([call(() => calls.has(reject)), failed])
      respondedAtMs = performance.now()
      return result
    } catch (error) {
      const storeError = toStoreError(error)
      // Connecting has a shorter deadline than a call, so this fault can arrive before the timer fires.
      if (faultOf(storeError) === 'timed_out' && sqlStateOf(error) === null) onSilence(used, startedAtMs)
      // After a failover, new connections lead to the new primary server.
      if (storeError instanceof StoreError && storeError.fault === 'standby' && used === client) replaceClient(used)
      throw storeError
    } finally {
      calls.delete(reject)
    }
  }

  /**
   * Wraps a store: its methods have a deadline, throw faults as StoreError, and are retried if the server rolled them
   * back. The deadline of methods whose names begin with `sweep` is longer.
   */
  function guard<T extends object>(store: T): T {
    return wrapMethods(store, (method: Method<Promise<unknown>>, name) => {
      const deadlineMs = name.startsWith('sweep') ? SWEEP_DEADLINE_MS : callMs
      return (...args) => withDeadline((isAwaited) => retryRolledBack(() => method(...args), isAwaited), deadlineMs)
    })
  }

  return {
    db: drizzle({ client: forwarding(() => client) }),
    guard,
    /** Uses another URL from the next statement on, for example after the password was changed. */
    setUrl(next: string) {
      if (next === url) return
      url = next
      replaceClient(client)
    },
    withDeadline,
    async [Symbol.asyncDispose]() {
      await Promise.all([client.close({ timeout: CLOSE_SECONDS }), tester?.close({ timeout: 0 })])
    },
  }
}

/**
 * @param name shown to administrators in the list of sessions
 * @param timeoutMs the timeout of connecting and of each statement; the server cancels a statement after this time
 */
export function createClient(
  url: string,
  name: string,
  options: Bun.SQL.PostgresOrMySQLOptions,
  timeoutMs = PATIENT_DEADLINES.statementMs,
  settings: SessionSettings = {},
): Bun.SQL {
  const connection = { ...SESSION_SETTINGS, ...settings, statement_timeout: timeoutMs, application_name: name }
  return new Bun.SQL({ url, adapter: 'postgres', connectionTimeout: timeoutMs / 1_000, connection, ...options })
}

/** Forwards the methods of a client that drizzle uses to the current client. */
function forwarding(current: () => Bun.SQL): Bun.SQL {
  const storing = (of: () => Bun.SQL) => ({
    unsafe: (text: string, values?: unknown[]) => of().unsafe(text, values?.map(storable)),
  })
  const begin = (steps: (tx: unknown) => Promise<unknown>) => current().begin((tx) => steps(storing(() => tx)))
  return { ...storing(current), begin } as Bun.SQL
}

/** Replaces U+0000, which PostgreSQL rejects in text, for example in an id from a URL path. */
export function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

/**
 * The SQLSTATEs after which a call can be retried, because the server rolled it back: serialization_failure,
 * deadlock_detected, unique_violation when two calls create the same row concurrently, and
 * idle_in_transaction_session_timeout after this process was suspended.
 */
const ROLLED_BACK = ['40001', '40P01', '23505', '25P03']

/**
 * A unique_violation by a row that existed before the call occurs at each attempt, and is thrown after the last
 * attempt.
 */
const MAX_TRIES = 10

/** The maximum delay before the first retry, in milliseconds; it grows with each retry. */
const RETRY_PAUSE_MS = 5

/** Makes the call, and retries it if the server rolled it back and the caller still waits for it. */
export async function retryRolledBack<T>(call: () => Promise<T>, isAwaited: () => boolean): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (error) {
      if (!ROLLED_BACK.includes(sqlStateOf(error) ?? '') || tries === MAX_TRIES) throw error
      await Bun.sleep(Math.random() * RETRY_PAUSE_MS * tries)
      // Checked after the pause: if the process was suspended beyond the deadline, its timer fires only now.
      if (!isAwaited()) throw error
    }
  }
}
