import { inBatches } from '../../core/batches.ts'

/**
 * Looks up keys in batches: the lookups of one turn of the event loop share a round trip. A lookup never joins a round
 * trip that has already started, so it sees every change that was committed before the lookup.
 * @param readAll reads the values of these keys in one round trip; its result omits keys without a value
 * @param endOfTurn runs the function at the end of this turn of the event loop: `setImmediate`
 */
export const batchedLookup = <Value>(
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  endOfTurn: (run: () => void) => void,
) =>
  inBatches<string, Value | null>(async (keys) => {
    const values = await readAll([...new Set(keys)])
    return keys.map((key) => values.get(key) ?? null)
  }, endOfTurn)
