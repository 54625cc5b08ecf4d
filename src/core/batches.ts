/** The maximum number of items that wait for the next batch. It is only reached if the database is locked or very slow. */
const MAX_WAITING = 20_000

/**
 * Returns a function that processes an item in a batch with the others of the same turn of the event loop. Items that
 * arrive while a batch is processed wait for the next one. It rejects if too many are waiting.
 * @param run processes a batch; one result for each item, in their order. A rejection applies to all of them
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
