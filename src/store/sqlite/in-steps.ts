import { whenFree } from './retry-when-busy.ts'

/**
 * Rows deleted in one step. Rows are at random places in the table and its indexes, so deleting one row writes several
 * pages: 25 rows take less than a millisecond, 500 rows took more than 20 ms.
 */
export const STEP_ROWS = 25

/**
 * Repeats a step until it returns 0, and returns the sum. Pauses after each step for as long as the step took, so that
 * requests can use the event loop and other processes the write lock. Each step waits for the write lock, because long
 * sweeps overlap with checkpoints.
 * @throws StoreError
 */
export async function inSteps(step: () => number): Promise<number> {
  for (let total = 0; ;) {
    let startedAtMs = 0
    const tryOnce = async () => {
      startedAtMs = performance.now()
      return step()
    }
    const done = await whenFree(tryOnce(), tryOnce)
    if (done === 0) return total
    total += done
    await Bun.sleep(performance.now() - startedAtMs)
  }
}
