export type Method<Result = unknown> = (...args: unknown[]) => Result

/**
 * Replaces each method of a store with the result of `wrap`. All methods are wrapped in the same way, regardless of
 * their names.
 */
export function wrapMethods<T extends object, Result>(store: T, wrap: (method: Method<Result>) => Method): T {
  const methods = Object.entries(store).map(([name, method]: [string, Method<Result>]) => [name, wrap(method)])
  return Object.fromEntries(methods) as T
}
