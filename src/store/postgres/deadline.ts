import { StoreError } from '../../core/store-fault.ts'

/** Waits for a statement. @throws StoreError `timed_out` after `deadlineMs` */
export async function within<T>(deadlineMs: number, statement: PromiseLike<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(timedOut(`no response within ${deadlineMs} ms`)), deadlineMs)
  try {
    return await Promise.race([statement, late])
  } finally {
    clearTimeout(timer)
  }
}

export function timedOut(reason: string): StoreError {
  return new StoreError('timed_out', { cause: new Error(reason) })
}
