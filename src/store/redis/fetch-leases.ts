import { createHash, randomUUID } from 'node:crypto'

import { FETCH_TIMEOUT_MS } from '../../core/limits.ts'
import type { FetchLeases } from '../../core/fetch/leases.ts'
import type { RedisConnection } from './connection.ts'
import { luaScript } from './script.ts'

const LEASE_PREFIX = 'urlmeta:fetch:'

/**
 * ARGV: token, new milliseconds to live; 0 deletes the lease. Only the owner may change it: after it has expired, another
 * process may have it.
 */
const extendScript = luaScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

/** Milliseconds after which the lease of a killed process expires, in time for others to fetch the page themselves. */
const EXPIRY_MS = 3_000

/** Two renewals may be lost before the lease expires. */
const RENEWALS_PER_EXPIRY = 3

/**
 * Milliseconds until a lease is no longer renewed: twice the longest fetch, because callers who join a fetch extend it.
 */
const MAX_HELD_MS = 2 * FETCH_TIMEOUT_MS.maximum

/** Leases on pages, shared by all processes that use the same Redis. */
export function redisFetchLeases(
  connection: RedisConnection,
  { expiryMs = EXPIRY_MS, maxHeldMs = MAX_HELD_MS } = {},
): FetchLeases {
  return {
    async acquire(cacheKey) {
      const key = LEASE_PREFIX + createHash('sha256').update(cacheKey).digest('base64url')
      const token = randomUUID()
      const isFree = (await connection.send('SET', [key, token, 'NX', 'PX', String(expiryMs)])) === 'OK'
      if (!isFree) return null

      const endsAtMs = performance.now() + maxHeldMs
      const renewal = setInterval(() => {
        if (performance.now() > endsAtMs) return clearInterval(renewal)
        // Without Redis there is no lease to renew; the fetch continues.
        extendScript(connection, key, [token, expiryMs]).catch(() => {})
      }, expiryMs / RENEWALS_PER_EXPIRY)
      // A lease must not keep a stopping process running.
      renewal.unref()
      return {
        isShared: true,
        async release() {
          clearInterval(renewal)
          // If the lease cannot be deleted, it expires.
          await extendScript(connection, key, [token, 0]).catch(() => {})
        },
      }
    },
  }
}
