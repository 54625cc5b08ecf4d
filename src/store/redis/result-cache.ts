import { createHash } from 'node:crypto'

import type { ResultCache, StoredResult } from '../../core/fetch/result-cache.ts'
import type { RedisConnection } from './connection.ts'
import { luaScript, STEP, sweepScript } from './script.ts'

export interface RedisResultCacheOptions {
  /** Results expire this long after they are put, whatever their `storedAtMs`. */
  ttlMs: number
  maxResults: number
}

/** A sorted set of result hashes by storage time, used to enforce the maximum and to sweep. */
const INDEX_KEY = 'urlmeta:results'
const RESULT_PREFIX = 'urlmeta:result:'

/** ARGV: value, milliseconds to live, storage time, hash, the maximum number of results, the maximum to delete. */
const putScript = luaScript(`
redis.call('SET', '${RESULT_PREFIX}' .. ARGV[4], ARGV[1], 'PX', ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[4])
local excess = redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[5])
if excess > 0 then
  local oldest = redis.call('ZPOPMIN', KEYS[1], math.min(excess, tonumber(ARGV[6])))
  for i = 1, #oldest, 2 do redis.call('UNLINK', '${RESULT_PREFIX}' .. oldest[i]) end
end
`)

const sweepResults = sweepScript(RESULT_PREFIX)

/**
 * Results for all processes. A result that the server evicted because of its memory limit stays in the index until it
 * would have expired: it is counted, but not found.
 */
export function redisResultCache(
  connection: RedisConnection,
  { ttlMs, maxResults }: RedisResultCacheOptions,
): ResultCache {
  const sweepRange = (lowest: string, highest: string) => sweepResults(connection, INDEX_KEY, lowest, highest)

  return {
    async get(cacheKey) {
      const value = (await connection.send('GET', [RESULT_PREFIX + hashOf(cacheKey)])) as string | null
      return value === null ? null : { ...resultOf(value), layer: 'redis' }
    },

    async put(cacheKey, result) {
      const args = [valueOf(result), ttlMs, result.storedAtMs, hashOf(cacheKey), maxResults, STEP]
      await putScript(connection, [INDEX_KEY], args)
    },

    async count() {
      return (await connection.send('ZCARD', [INDEX_KEY])) as number
    },

    async sweep(storedBeforeMs, storedAfterMs = Number.POSITIVE_INFINITY) {
      const before = await sweepRange('-inf', `(${storedBeforeMs}`)
      return storedAfterMs === Number.POSITIVE_INFINITY
        ? before
        : before + (await sweepRange(`(${storedAfterMs}`, '+inf'))
    },
  }
}

/** A line with the time and the length of the JSON, then the JSON, then the details, if there are any. */
function valueOf({ json, storedAtMs, details = '' }: StoredResult): string {
  return `${storedAtMs} ${json.length}\n${json}${details}`
}

function resultOf(value: string): StoredResult {
  const start = value.indexOf('\n') + 1
  const [storedAtMs, length] = value.slice(0, start).split(' ').map(Number) as [number, number]
  const details = value.slice(start + length)
  return { json: value.slice(start, start + length), storedAtMs, ...(details !== '' && { details }) }
}

/** Cache keys are URLs of up to 8 KB. */
function hashOf(cacheKey: string): string {
  return createHash('sha256').update(cacheKey).digest('base64url')
}
