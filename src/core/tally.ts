/** Adds to the count of a key, and returns the new count. A key whose count becomes 0 is removed. */
export function addTo<Key>(counts: Map<Key, number>, key: Key, change: number): number {
  const count = (counts.get(key) ?? 0) + change
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
  return count
}
