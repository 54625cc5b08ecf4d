import type { System } from '../core/system.ts'

export const systemDeps: System = {
  now: () => Date.now(),
  newId: () => Bun.randomUUIDv7(),
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
}
