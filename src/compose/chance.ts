/** The time, ids and randomness of this machine, which all rules take as arguments. */
export const chance = {
  now: () => Date.now(),
  newId: () => Bun.randomUUIDv7(),
  randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
}
