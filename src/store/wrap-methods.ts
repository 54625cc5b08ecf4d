export type Method<Result = unknown> = (...args: unknown[]) => Result

/** Replaces each method of a store with the result of `wrap`, which also gets its name. */
export function wrapMethods<T extends object, Result>(
  store: T,
  wrap: (method: Method<Result>, name: string) => Method,
): T {
  const methods = Object.entries(store).map(([name, method]: [string, Method<Result>]) => [name, wrap(method, name)])
  return Object.fromEntries(methods) as T
}
