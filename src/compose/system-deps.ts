/** The clock, timers, ids and randomness of this machine, which services take as arguments. */
export const systemDeps = {
  now: () => Date.now(),
  startTimer(run: () => void, ms: number) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  newId: () => Bun.randomUUIDv7(),
  randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
}
