import { StoreError, type StoreFault } from '../core/store-fault.ts'

/** Limits for calls to PostgreSQL. */
export interface Deadlines {
  /** The deadline of each call except sweeps, even if the server does not respond. */
  callMs: number
  /** The timeout of connecting and of each statement. The server cancels a statement after this time. */
  statementMs: number
}

/** For calls that requests wait for. A statement should take a few milliseconds. */
export const REQUEST_DEADLINES: Deadlines = { callMs: 3_000, statementMs: 2_000 }

/** For commands, and for checking the schema at start. */
export const PATIENT_DEADLINES: Deadlines = { callMs: 15_000, statementMs: 10_000 }

/** Waits for a statement, or for other work of a database. @throws StoreError `fault` after `deadlineMs` */
export async function within<T>(deadlineMs: number, work: PromiseLike<T>, fault: StoreFault = 'timed_out'): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  using _timer = setTimeout(() => reject(timedOut(`no response within ${deadlineMs} ms`, fault)), deadlineMs)
  return await Promise.race([work, late])
}

export function timedOut(reason: string, fault: StoreFault = 'timed_out'): StoreError {
  return new StoreError(fault, { cause: new Error(reason) })
}
