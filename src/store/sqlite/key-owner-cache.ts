import { LRUCache } from 'lru-cache'

import type { KeyOwner } from '../../core/accounts/ports.ts'
import { type Method, wrapMethods } from '../wrap-methods.ts'

/** The number of cached keys: as many as a busy service sees within a minute, about 3 MB. */
const MAX_OWNERS = 10_000

export interface KeyOwnerCacheDeps {
  /** Reads the owner of a key from the database; null for unknown keys. */
  read: (hash: string) => Promise<KeyOwner | null>
  /** `PRAGMA data_version`, which changes when another connection commits, but not when this connection does. */
  dataVersion: () => unknown
  /** Runs the function at the end of this turn of the event loop: `setImmediate`. */
  endOfTurn: (run: () => void) => void
}

/**
 * Caches the owners of keys in memory. Writes of this process clear the cache immediately. Writes of other processes
 * are detected once in each turn of the event loop, not for each request. Unknown keys are not cached, because a client
 * can invent any number of them; neither are deactivated keys, so that both take the same time.
 */
export function cacheKeyOwners({ read, dataVersion, endOfTurn }: KeyOwnerCacheDeps) {
  const owners = new LRUCache<string, KeyOwner>({ max: MAX_OWNERS })
  let version: unknown
  let isChecked = false
  /** Incremented when the cache is cleared, so that a lookup that began earlier is not cached. */
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

  async function readAndKeep(hash: string): Promise<KeyOwner | null> {
    const before = generation
    const found = await read(hash)
    if (found?.deactivatedAtMs === null && generation === before) owners.set(hash, found)
    return found
  }

  return {
    find(hash: string): KeyOwner | Promise<KeyOwner | null> {
      checkOncePerTurn()
      return owners.get(hash) ?? readAndKeep(hash)
    },
    /** The cached owner of a key, if the cache was already checked in this turn of the event loop; otherwise undefined. */
    known: (hash: string): KeyOwner | undefined => (isChecked ? owners.get(hash) : undefined),
    /** Wraps methods that change users or keys, so that they clear the cache. */
    invalidating<T extends object>(writes: T): T {
      return wrapMethods(writes, (method: Method<Promise<unknown>>) => {
        return (...args) => method(...args).finally(clear)
      })
    },
  }
}
