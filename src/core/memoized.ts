/** The function, which is called once for each object and must return the same value for it. */
export function memoized<Key extends object, Value>(valueOf: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => {
    const known = values.get(key)
    if (known !== undefined) return known
    const value = valueOf(key)
    values.set(key, value)
    return value
  }
}
