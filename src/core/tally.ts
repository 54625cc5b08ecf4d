/** The sum of all counts. */
export const totalOf = (counts: ReadonlyMap<unknown, number>): number =>
  counts.values().reduce((total, count) => total + count, 0)

/** The percentile of the counted numbers by the nearest-rank method; null without numbers. */
export function percentile(counts: ReadonlyMap<number, number>, percent: number): number | null {
  let rank = Math.max(1, Math.ceil((percent / 100) * totalOf(counts)))
  const sorted = [...counts].toSorted(([a], [b]) => a - b)
  return sorted.find(([, count]) => (rank -= count) <= 0)?.[0] ?? null
}

/** Adds to the count of a key, and returns the new count. A key whose count becomes 0 is removed. */
export function addTo<Key>(counts: Map<Key, number>, key: Key, change: number): number {
  const count = (counts.get(key) ?? 0) + change
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
  return count
}
