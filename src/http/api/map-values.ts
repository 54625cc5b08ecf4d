/** An object with the same names, and the values that `map` returns. */
export function mapValues<Value, Mapped>(
  object: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]))
}
