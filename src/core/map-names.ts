/** An object with a value for each of these names. */
export function mapNames<Name extends string, T>(names: readonly Name[], valueOf: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, T>
}
