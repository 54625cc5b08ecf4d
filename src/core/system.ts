/** The clock, ids and randomness of the machine. Tests pass their own. */
export interface System {
  /** Unix milliseconds. */
  now: () => number
  /** A UUID that is greater than earlier UUIDs. */
  newId: () => string
  randomBytes: (length: number) => Uint8Array
}

/** Milliseconds since 1970, as precise as `performance.now()`, and the same in all threads. */
export const epochMs = (clock: Pick<Performance, 'timeOrigin' | 'now'>): number => clock.timeOrigin + clock.now()
