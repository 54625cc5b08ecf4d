/** Adds a value to the list of a key; returns false if the list already has `max` values. */
export function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value, max: number): boolean {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else if (list.length < max) list.push(value)
  else return false
  return true
}
