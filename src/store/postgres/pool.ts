import { drizzle } from 'drizzle-orm/bun-sql'

import { StoreError } from '../../core/store-fault.ts'
import type { Drizzle } from './schema.ts'
import { sqlStateOf, toStoreError } from './store-error.ts'

/**
 * Connections of one process. Requests share round trips, so a few carry everything; ten processes stay below the 100
 * that a server accepts by default.
 */
export const MAX_CONNECTIONS = 8

/** The server ends a statement that takes longer, in milliseconds. Each should take a few milliseconds. */
const STATEMENT_TIMEOUT_MS = 2_000

/** The server ends a transaction whose process has stopped in the middle of it, which keeps rows locked for all others. */
const IDLE_TRANSACTION_MS = 5_000

/** A call that has not ended by then fails, even when the server does not answer at all. In milliseconds. */
const CALL_DEADLINE_MS = 3_000

/** A sweep deletes in many short statements. In milliseconds. */
const SWEEP_DEADLINE_MS = 10 * 60_000

/** Calls under way at once; more than a server can answer within the deadline. */
const MAX_CALLS = 10_000

/** In seconds. A connection that is replaced now and then follows a change of address behind the server's name. */
const CONNECTION_SECONDS = { connectionTimeout: 2, idleTimeout: 60, maxLifetime: 30 * 60 } as const

/** How long closing waits for statements under way, in seconds. */
const CLOSE_SECONDS = 2

/** Connections to a database that survive its restarts. Whoever opens it disposes it. */
export interface Pool extends AsyncDisposable {
  db: Drizzle
  /**
   * Wraps a store, so that each method has a deadline, throws faults as StoreError, and runs again when another
   * transaction was in its way.
   */
  guard<T extends object>(store: T): T
  /** Waits for the call until the deadline; throws faults as StoreError. The call itself may end later. */
  withDeadline<T>(call: () => Promise<T>, deadlineMs?: number): Promise<T>
}

/** Sweeps have a longer deadline. */
const isSweep = (name: string) => name.startsWith('sweep')

/**
 * Makes a pool; it connects at the first statement.
 * @param callDeadlineMs of each call except sweeps
 */
export function openPool(url: string, callDeadlineMs = CALL_DEADLINE_MS): Pool {
  let client = connect(url)
  let calls = 0

  /** Connects anew: connections that do not answer, or lead to the wrong server, would be used again and again. */
  function replaceClient(used: Bun.SQL) {
    if (used !== client) return
    client = connect(url)
    void used.close({ timeout: 0 }).catch(() => {})
  }

  async function withDeadline<T>(call: () => Promise<T>, deadlineMs = callDeadlineMs): Promise<T> {
    if (calls >= MAX_CALLS) throw new StoreError('timed_out', { cause: new Error(`${MAX_CALLS} calls are under way`) })
    calls++
    const used = client
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      reject(new StoreError('timed_out', { cause: new Error(`no answer within ${deadlineMs} ms`) }))
      replaceClient(used)
    }, deadlineMs)
    try {
      return await Promise.race([call(), late])
    } catch (error) {
      const storeError = toStoreError(error)
      // After a failover, new connections lead to the new primary server.
      if (storeError instanceof StoreError && storeError.fault === 'standby') replaceClient(used)
      throw storeError
    } finally {
      clearTimeout(timer)
      calls--
    }
  }

  return {
    db: drizzle({ client: forwarding(() => client) }) as unknown as Drizzle,
    guard<T extends object>(store: T): T {
      const methods = Object.entries(store).map(
        ([name, method]: [string, (...args: unknown[]) => Promise<unknown>]) => [
          name,
          (...args: unknown[]) =>
            withDeadline(
              () => retryConflicts(() => method(...args)),
              isSweep(name) ? SWEEP_DEADLINE_MS : callDeadlineMs,
            ),
        ],
      )
      return Object.fromEntries(methods) as T
    },
    withDeadline,
    async [Symbol.asyncDispose]() {
      await client.close({ timeout: CLOSE_SECONDS })
    },
  }
}

function connect(url: string): Bun.SQL {
  return new Bun.SQL({
    url,
    adapter: 'postgres',
    max: MAX_CONNECTIONS,
    ...CONNECTION_SECONDS,
    connection: {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
      // The server's default. With a stricter one, every two batches of one user would be in each other's way.
      default_transaction_isolation: 'read committed',
      application_name: 'urlmeta',
    },
  })
}

/** What drizzle uses of a client, by way of the one that is current. */
function forwarding(current: () => Bun.SQL): Bun.SQL {
  const client: unknown = {
    unsafe: (text: string, values?: unknown[]) => current().unsafe(text, values?.map(storable)),
    begin: (steps: (tx: unknown) => Promise<unknown>) =>
      current().begin((tx) =>
        steps({ unsafe: (text: string, values?: unknown[]) => tx.unsafe(text, values?.map(storable)) }),
      ),
  }
  return client as Bun.SQL
}

/** PostgreSQL has no U+0000 in text and would refuse the statement, as for an id in a path that has one. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

/**
 * The server undid the whole call, so it can run again: serialization_failure, deadlock_detected and, when two calls
 * create the same row at once, unique_violation.
 */
const CONFLICTS = ['40001', '40P01', '23505']

/** A unique_violation by a row that existed before the call happens again at each try, and is thrown after the last. */
const MAX_TRIES = 10

/** The longest pause before the first retry, in milliseconds; it grows with each. */
const RETRY_PAUSE_MS = 5

/** Runs the call again when another transaction was in its way. */
export async function retryConflicts<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (error) {
      if (!CONFLICTS.includes(sqlStateOf(error) ?? '') || tries === MAX_TRIES) throw error
      await Bun.sleep(Math.random() * RETRY_PAUSE_MS * tries)
    }
  }
}
