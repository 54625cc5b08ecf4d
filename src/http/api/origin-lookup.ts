import { LRUCache } from 'lru-cache'

import type { Keys } from '../../core/accounts/ports.ts'
import { parseWebOrigin } from '../../core/net/web-origin.ts'

/** About 4 MB. Clients can invent any number of origins. */
const MAX_ORIGINS = 10_000

/** How long a change of keys may go unnoticed, in milliseconds. */
const KEPT_MS = 1_000

/** Whether pages of an origin may use any key. Says nothing about a certain key. */
export type OriginLookup = (origin: string) => Promise<boolean>

/** Looks origins up for preflights, which have no key. Requests with a key are always checked against its own origins. */
export function createOriginLookup({ keys, now }: { keys: Keys; now: () => number }): OriginLookup {
  const fetchMethod = (origin: string) => keys.isOriginAllowed(origin, now())
  const answers = new LRUCache<string, boolean>({ max: MAX_ORIGINS, ttl: KEPT_MS, fetchMethod })
  return async (origin) => parseWebOrigin(origin) === origin && (await answers.fetch(origin)) === true
}
