/** The system clock, ids and randomness, which the services take as arguments. */
export const systemDeps = {
  now: () => Date.now(),
  newId: () => Bun.randomUUIDv7(),
  randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
}
