/**
 * Rows that one step deletes. Their places in table and indexes are random, so each is some pages to write: 25 rows take
 * less than a millisecond, and 500 took more than 20 ms.
 */
export const STEP_ROWS = 25

/**
 * Repeats a step until it had nothing left to do; says how much all of them did together. Between two steps requests
 * have the event loop, and other processes the write lock, for at least as long as the step took.
 */
export async function inSteps(step: () => number): Promise<number> {
  for (let total = 0; ;) {
    const startedAtMs = performance.now()
    const done = step()
    if (done === 0) return total
    total += done
    await Bun.sleep(performance.now() - startedAtMs)
  }
}
