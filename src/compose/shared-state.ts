import type { FixedConfig } from '../config.ts'
import type { RateLimiter } from '../core/usage/rate-limiter.ts'
import { UNSHARED_LEASES } from '../core/fetch/leases.ts'
import type { ResultCache } from '../core/fetch/result-cache.ts'
import type { Log } from '../log.ts'
import { memoryPlaygroundResults } from '../store/memory/playground-results.ts'
import { memoryRateLimiter } from '../store/memory/rate-limiter.ts'
import { openRedis } from '../store/redis/open.ts'

/**
 * The maximum number of client networks that one limiter counts in a minute, about 12 MB. Further networks are not
 * limited. An attacker who has more networks gets around a limit per network anyway.
 */
const MAX_CLIENTS = 100_000

/** Counted in this process even with Redis, because a flood must not cause requests to Redis. */
export const clientLimiter = (): RateLimiter => memoryRateLimiter(MAX_CLIENTS)

const UNAVAILABLE = 'Redis is unavailable; using per-minute limits and a cache in this process until it is back'

/**
 * Opens minute limits, cached results, playground results and fetch leases: in Redis, or in the memory of this process.
 * @param stored the results in the database, which are used if there is no Redis
 * @param deadlineMs the timeout of a Redis command in milliseconds, if not the default
 */
export async function openSharedState(config: FixedConfig, stored: ResultCache, log: Log, deadlineMs?: number) {
  const { redisUrl, cache } = config
  if (redisUrl === null) {
    return {
      limiter: memoryRateLimiter(),
      results: stored,
      playgroundResults: memoryPlaygroundResults(),
      leases: UNSHARED_LEASES,
      redisStatus: null,
      [Symbol.dispose]: () => {},
    }
  }
  const { status, ...redis } = await openRedis({
    url: redisUrl,
    ttlMs: cache.ttlMs,
    maxResults: cache.maxEntries,
    deadlineMs,
    onDown: (reason) => log.error({ reason }, UNAVAILABLE),
    onUp: () => log.warn({}, 'Redis is available again'),
  })
  return { ...redis, redisStatus: status }
}
