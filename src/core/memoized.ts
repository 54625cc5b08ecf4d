/** Caches the result of a function for each object. The function must always return the same value for an object. */
export function memoized<Key extends object, Value>(valueOf: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => values.getOrInsertComputed(key, valueOf)
}

/** Caches the last result of a function, for an argument that rarely changes. */
export function keepingLast<Key, Value>(valueOf: (key: Key) => Value): (key: Key) => Value {
  let last: { key: Key; value: Value } | null = null
  return (key) => (last?.key === key ? last : (last = { key, value: valueOf(key) })).value
}
