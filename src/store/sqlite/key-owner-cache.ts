import { LRUCache } from 'lru-cache'

import type { KeyOwner, Keys } from '../../core/accounts/ports.ts'
import { type Method, wrapMethods } from '../wrap-methods.ts'

/** The number of cached keys: as many as a busy service sees within a minute, about 3 MB. */
const MAX_OWNERS = 10_000

export interface KeyOwnerCacheDeps {
  keys: Keys
  /** `PRAGMA data_version`, which changes when another connection commits, but not when this one does. */
  dataVersion: () => unknown
  /** Runs the function at the end of this turn of the event loop: `setImmediate`. */
  endOfTurn: (run: () => void) => void
}

/**
 * Caches the owners of active keys in memory. Writes of this process clear the cache immediately. Writes of other processes
 * are detected once in each turn of the event loop, not for each request. Unknown keys are not cached, because a client
 * can invent any number of them.
 */
export function cacheKeyOwners({ keys, dataVersion, endOfTurn }: KeyOwnerCacheDeps) {
  const owners = new LRUCache<string, KeyOwner>({ max: MAX_OWNERS })
  let version: unknown
  let isChecked = false
  /** Incremented whenever the cache is cleared, so that a lookup that began before is not cached. */
  let generation = 0

  function clear() {
    owners.clear()
    generation++
  }

  function checkOncePerTurn() {
    if (isChecked) return
    const current = dataVersion()
    if (current !== version) clear()
    version = current
    isChecked = true
    endOfTurn(() => (isChecked = false))
  }

  function invalidating<T extends object>(store: T, readMethods: readonly (keyof T)[]): T {
    return wrapMethods(store, (method: Method<Promise<unknown>>, name) =>
      readMethods.includes(name as keyof T) ? method : (...args) => method(...args).finally(clear),
    )
  }

  async function find(hash: string): Promise<KeyOwner | null> {
    const before = generation
    const found = await keys.findActive(hash)
    if (found && generation === before) owners.set(hash, found)
    return found
  }

  return {
    /** The store of keys, whose `findActive` is cached. */
    keys: {
      ...invalidating(keys, ['isOriginAllowed', 'list', 'listOf', 'find', 'findOf']),
      findActive(hash: string) {
        checkOncePerTurn()
        return owners.get(hash) ?? find(hash)
      },
    },
    /** The cached owner of a key, if the cache was already checked in this turn of the event loop; otherwise undefined. */
    known: (hash: string): KeyOwner | undefined => (isChecked ? owners.get(hash) : undefined),
    /** Wraps a store so that its methods clear the cache, except for `readMethods`. */
    invalidating,
  }
}
