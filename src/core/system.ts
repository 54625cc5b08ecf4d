/** The clock, ids and randomness of the machine. Tests pass their own. */
export interface System {
  /** Unix milliseconds. */
  now: () => number
  /** A UUID that is greater than earlier UUIDs. */
  newId: () => string
  randomBytes: (length: number) => Uint8Array
}
