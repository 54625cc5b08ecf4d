/** The result of a function; undefined if it throws. For functions of the platform that throw for invalid input. */
export function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
