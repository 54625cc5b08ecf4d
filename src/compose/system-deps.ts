import type { System } from '../core/system.ts'

export const systemDeps: System = {
  now: () => Date.now(),
  startTimer(run, ms) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  newId: () => Bun.randomUUIDv7(),
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
}
