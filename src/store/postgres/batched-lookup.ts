/** Lookups that may wait for the next batch: far more than a turn brings, unless the database does not respond. */
const MAX_WAITING = 20_000

export interface BatchedLookupDeps<Value> {
  /** Reads the values of these keys in one round trip; keys without a value are missing. */
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>
  /** Runs the function when this turn of the event loop is over: `setImmediate`. */
  endOfTurn: (run: () => void) => void
}

interface Waiting<Value> {
  promise: Promise<Value | null>
  resolve: (value: Value | null) => void
  reject: (error: unknown) => void
}

/**
 * Looks up single keys. Those of one turn of the event loop share a round trip; while it is under way, the next ones
 * collect. A lookup never shares a round trip that began before it was made, so it sees every change that was committed
 * by then.
 */
export function batchedLookup<Value>({ readAll, endOfTurn }: BatchedLookupDeps<Value>) {
  let waiting = new Map<string, Waiting<Value>>()
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
      return Promise.reject(new Error(`${MAX_WAITING} lookups wait for the database already`))
    const entry = Promise.withResolvers<Value | null>()
    waiting.set(key, entry)
    schedule()
    return entry.promise
  }
}
