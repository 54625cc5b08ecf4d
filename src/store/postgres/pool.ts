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

/** Sent by every connection, also before the pool is used, because PgBouncer refuses settings that it does not know. */
const SESSION_SETTINGS = {
  // The server ends a transaction that is idle for so many milliseconds, because its row locks block other processes.
  idle_in_transaction_session_timeout: 5_000,
  // The server's default. With a stricter level, any two concurrent batches of one user would conflict.
  default_transaction_isolation: 'read committed',
} as const

/** The deadline of a sweep, which deletes in many short statements. In milliseconds. */
const SWEEP_DEADLINE_MS = 10 * MINUTE_MS

/**
 * The maximum wait for a server that did not respond, in milliseconds. The first wait is the deadline of a call, each
 * further one is twice as long: while its machine or disk hangs, a server keeps the sessions of given-up connections.
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
 * Creates a pool; it connects at the first statement. If no call has succeeded within the deadline of one, all calls fail
 * immediately until a single new connection can write.
 */
export function openPool(url: string, { callMs, statementMs } = REQUEST_DEADLINES) {
  const connect = (max = MAX_CONNECTIONS) => createClient(url, 'urlmeta', { max, ...CONNECTION_SECONDS }, statementMs)
  let client = connect()
  let respondedAtMs = 0
  /** The only connection to a server that does not respond; null while calls are made. */
  let tester: Bun.SQL | null = null
  /** Functions that reject the calls in progress. */
  const calls = new Set<(error: StoreError) => void>()

  /** Replaces the client, because unresponsive connections, or connections to the wrong server, would be reused. */
  function replaceClient(used: Bun.SQL) {
    client = connect()
    void used.close({ timeout: CLOSE_SECONDS }).catch(() => {})
  }

  /** After a call without a response. If no other call had one meanwhile, all fail until the server responds again. */
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

  /** Waits for the call until the deadline, after which `isAwaited` returns false. Throws faults as StoreError. */
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
      // Connecting has a shorter deadline than a call.
      if (faultOf(storeError) === 'timed_out' && sqlStateOf(error) === null) onSilence(used, startedAtMs)
      // After a failover, new connections lead to the new primary server.
      if (storeError instanceof StoreError && storeError.fault === 'standby' && used === client) replaceClient(used)
      throw storeError
    } finally {
      calls.delete(reject)
    }
  }

  return {
    db: drizzle({ client: forwarding(() => client) }),
    /** Wraps a store: methods have a deadline, throw faults as StoreError, and are retried if the server rolled them back. */
    guard<T extends object>(store: T): T {
      return wrapMethods(store, (method: Method<Promise<unknown>>, name) => {
        const deadlineMs = name.startsWith('sweep') ? SWEEP_DEADLINE_MS : callMs
        return (...args) => withDeadline((isAwaited) => retryRolledBack(() => method(...args), isAwaited), deadlineMs)
      })
    },
    /** Uses another URL, with a changed password, from the next statement on. */
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
 * A client. Administrators see its name in the list of sessions.
 * @param timeoutMs of connecting, and of a statement, which the server then cancels
 */
export function createClient(
  url: string,
  name: string,
  options: Bun.SQL.PostgresOrMySQLOptions,
  timeoutMs = PATIENT_DEADLINES.statementMs,
): Bun.SQL {
  const connection = { ...SESSION_SETTINGS, statement_timeout: timeoutMs, application_name: name }
  return new Bun.SQL({ url, adapter: 'postgres', connectionTimeout: timeoutMs / 1_000, connection, ...options })
}

/** The methods of a client that drizzle uses, forwarded to the current client. */
function forwarding(current: () => Bun.SQL): Bun.SQL {
  const storing = (of: () => Bun.SQL) => ({
    unsafe: (text: string, values?: unknown[]) => of().unsafe(text, values?.map(storable)),
  })
  const begin = (steps: (tx: unknown) => Promise<unknown>) => current().begin((tx) => steps(storing(() => tx)))
  return { ...storing(current), begin } as Bun.SQL
}

/** PostgreSQL rejects text with U+0000, for example from an id in a URL path. */
export function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

/**
 * The server rolled back the whole call, so it can be retried: serialization_failure, deadlock_detected, unique_violation
 * when two calls create the same row concurrently, and idle_in_transaction_session_timeout after this process was suspended.
 */
const ROLLED_BACK = ['40001', '40P01', '23505', '25P03']

/** A unique_violation by a row that existed before the call occurs at each attempt, and is thrown after the last. */
const MAX_TRIES = 10

/** The maximum delay before the first retry, in milliseconds; it grows with each retry. */
const RETRY_PAUSE_MS = 5

/** Makes the call, and retries it if the server rolled it back and someone still waits for it. */
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
