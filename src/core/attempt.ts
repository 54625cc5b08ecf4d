/** The result of a function; undefined if it throws. For functions of the platform whose failure is no error here. */
export function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
