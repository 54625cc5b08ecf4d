/** Rows deleted by one statement of a sweep. It takes a few milliseconds, so requests do not wait long for row locks. */
export const STEP_ROWS = 500

/** Repeats a step until it deletes nothing; returns the total number of deleted rows. */
export async function inSteps(step: () => Promise<readonly unknown[]>): Promise<number> {
  for (let total = 0; ;) {
    const { length } = await step()
    if (length === 0) return total
    total += length
  }
}
