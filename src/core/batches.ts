/** The maximum number of items that wait for the next batch. Reached only if the database is locked or very slow. */
const MAX_WAITING = 20_000

/**
 * Returns a function that adds an item to the batch of this turn of the event loop, and returns a promise of the
 * item's result. Items that arrive while a batch is processed wait for the next batch. The function rejects if too
 * many items are waiting.
 * @param run processes a batch and returns one result per item, in the order of the items. If it rejects, all items
 * of the batch are rejected
 * @param endOfTurn runs the function at the end of this turn of the event loop: `setImmediate`
 */
export function inBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  endOfTurn: (run: () => void) => void,
) {
  let waiting: Item[] = []
  let collected = Promise.withResolvers<readonly Result[]>()
  let isBusy = false

  async function runBatch() {
    const [batch, { resolve, reject }] = [waiting, collected]
    waiting = []
    collected = Promise.withResolvers()
    await Promise.try(run, batch).then(resolve, reject)
    isBusy = false
    if (waiting.length > 0) schedule()
  }

  function schedule() {
    if (isBusy) return
    isBusy = true
    endOfTurn(() => void runBatch())
  }

  return async (item: Item): Promise<Result> => {
    if (waiting.length >= MAX_WAITING) throw new Error(`${MAX_WAITING} requests are already waiting for the database`)
    const [{ promise }, index] = [collected, waiting.push(item) - 1]
    schedule()
    return (await promise)[index]!
  }
}
