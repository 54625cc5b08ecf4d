/** The maximum number of lookups that wait for the next batch. It is only reached if the database does not respond. */
const MAX_WAITING = 20_000

export interface BatchedLookupDeps<Value> {
  /** Reads the values of these keys in one round trip; keys without a value are absent. */
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>
  /** Runs the function at the end of this turn of the event loop: `setImmediate`. */
  endOfTurn: (run: () => void) => void
}

/**
 * Looks up keys in batches. The lookups of one turn of the event loop share a round trip; lookups that arrive during a
 * round trip wait for the next one. A lookup never joins a round trip that has already started, so it sees every change
 * that was committed before the lookup.
 */
export function batchedLookup<Value>({ readAll, endOfTurn }: BatchedLookupDeps<Value>) {
  let waiting = new Map<string, PromiseWithResolvers<Value | null>>()
  let isBusy = false

  async function readBatch() {
    const batch = waiting
    waiting = new Map()
    try {
      const values = await readAll([...batch.keys()])
      for (const [key, { resolve }] of batch) resolve(values.get(key) ?? null)
    } catch (error) {
      for (const { reject } of batch.values()) reject(error)
    }
    isBusy = false
    if (waiting.size > 0) schedule()
  }

  function schedule() {
    if (isBusy) return
    isBusy = true
    endOfTurn(() => void readBatch())
  }

  return (key: string): Promise<Value | null> => {
    const known = waiting.get(key)
    if (known) return known.promise
    if (waiting.size >= MAX_WAITING)
      return Promise.reject(new Error(`${MAX_WAITING} lookups are already waiting for the database`))
    const entry = Promise.withResolvers<Value | null>()
    waiting.set(key, entry)
    schedule()
    return entry.promise
  }
}
