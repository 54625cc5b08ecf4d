/** The clock, timers, ids and randomness of the machine. Tests pass their own. */
export interface System {
  /** Unix milliseconds. */
  now: () => number
  /** Runs the function after `ms` milliseconds; returns a function that cancels the timer. */
  startTimer: (run: () => void, ms: number) => () => void
  /** A UUID that is greater than earlier ones. */
  newId: () => string
  randomBytes: (length: number) => Uint8Array
}
