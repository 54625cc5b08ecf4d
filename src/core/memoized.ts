/** The function, which is called once for each object and must return the same value for it. */
export function memoized<Key extends object, Value>(valueOf: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => values.getOrInsertComputed(key, valueOf)
}

/** The function, which is not called again while its argument stays the same: for values that rarely change. */
export function keepingLast<Key, Value>(valueOf: (key: Key) => Value): (key: Key) => Value {
  let last: { key: Key; value: Value } | null = null
  return (key) => (last?.key === key ? last : (last = { key, value: valueOf(key) })).value
}
