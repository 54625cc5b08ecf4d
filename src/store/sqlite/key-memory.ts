import { LRUCache } from 'lru-cache'

import type { KeyOwner, Keys } from '../../core/account-ports.ts'

/** Keys whose holders are remembered, some 3 MB: as many as a busy service sees within a minute. */
const MAX_HOLDERS = 10_000

export interface KeyMemory {
  /** The same store, which looks a key up once until something changes. */
  keys: Keys
  /** The same store, each of whose verbs ends what is remembered, except for those that only read. */
  forgetting<T extends object>(store: T, readingVerbs: readonly (keyof T)[]): T
}

export interface KeyMemoryDeps {
  keys: Keys
  /** `PRAGMA data_version`: another number once another connection has committed. Own commits do not change it. */
  dataVersion: () => unknown
  /** Runs the function when this turn of the event loop is over: `setImmediate`. */
  endOfTurn: (run: () => void) => void
}

/**
 * Remembers holders of keys. Whether another process has written is asked once in each turn of the event loop, not once
 * for each request; own writes are known. Unknown keys are not remembered: anybody can make up any number of them.
 */
export function rememberKeys({ keys, dataVersion, endOfTurn }: KeyMemoryDeps): KeyMemory {
  const holders = new LRUCache<string, KeyOwner>({ max: MAX_HOLDERS })
  let version: unknown
  let isChecked = false
  /** Counts what was forgotten, so that a look-up that was overtaken by a change is not remembered. */
  let changes = 0

  function forget() {
    holders.clear()
    changes++
  }

  function checkOncePerTurn() {
    if (isChecked) return
    const current = dataVersion()
    if (current !== version) forget()
    version = current
    isChecked = true
    endOfTurn(() => (isChecked = false))
  }

  function forgetting<T extends object>(store: T, readingVerbs: readonly (keyof T)[]): T {
    const verbs = Object.entries(store).map(([name, verb]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      name,
      readingVerbs.includes(name as keyof T) ? verb : (...args: unknown[]) => verb(...args).finally(forget),
    ])
    return Object.fromEntries(verbs) as T
  }

  return {
    keys: {
      ...forgetting(keys, ['list', 'listOf']),
      async findActive(hash) {
        checkOncePerTurn()
        const known = holders.get(hash)
        if (known) return known
        const before = changes
        const found = await keys.findActive(hash)
        if (found && changes === before) holders.set(hash, found)
        return found
      },
    },
    forgetting,
  }
}
