import { StoreError, type StoreFault } from '../core/store-fault.ts'

/** Waits for a statement, or for other work of a database. @throws StoreError after `deadlineMs` */
export async function within<T>(deadlineMs: number, work: PromiseLike<T>, fault: StoreFault = 'timed_out'): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  using _timer = setTimeout(() => reject(timedOut(`no response within ${deadlineMs} ms`, fault)), deadlineMs)
  return await Promise.race([work, late])
}

export function timedOut(reason: string, fault: StoreFault = 'timed_out'): StoreError {
  return new StoreError(fault, { cause: new Error(reason) })
}
