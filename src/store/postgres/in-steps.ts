/** Rows that one statement of a sweep deletes: a few milliseconds, so that requests do not wait long for its row locks. */
export const STEP_ROWS = 500

/** Repeats a step until it had nothing left to do; returns how many rows all of them deleted together. */
export async function inSteps(step: () => Promise<readonly unknown[]>): Promise<number> {
  for (let total = 0; ;) {
    const { length } = await step()
    if (length === 0) return total
    total += length
  }
}
