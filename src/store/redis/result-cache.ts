import { hashedCacheKey, type ResultCache, type StoredResult } from '../../core/fetch/result-cache.ts'
import { splitCacheKey } from '../../core/net/url.ts'
import type { RedisConnection } from './connection.ts'
import { luaScript, STEP, sweepScript } from './script.ts'

export interface RedisResultCacheOptions {
  /** Results expire this long after they are put, regardless of their `storedAtMs`. */
  ttlMs: number
  maxResults: number
}

/** A sorted set of result hashes by storage time, used to enforce the maximum and to sweep. */
const INDEX_KEY = 'urlmeta:results'
const RESULT_PREFIX = 'urlmeta:result:'
/** A stream of deleted pages, for the other processes. */
const DELETED_KEY = 'urlmeta:deleted'
/** The approximate maximum number of deletions in the stream. Processes read new deletions every second. */
const MAX_DELETIONS = '10000'

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

const sweepResults = sweepScript(INDEX_KEY, RESULT_PREFIX)

/**
 * Results for all processes. A result that the server evicted because of its memory limit stays in the index until it
 * would have expired. Until then the result is counted, but not found.
 */
export function redisResultCache(connection: RedisConnection, options: RedisResultCacheOptions): ResultCache {
  const { ttlMs, maxResults } = options
  /** The id of the last deletion that was read from the stream; null before the first read. */
  let lastDeletion: string | null = null

  /**
   * The names of all results of a page, from the index. Scanning a million names takes about a second, in small steps.
   */
  async function namesOf(page: string): Promise<string[]> {
    const pattern = `${nameOf(page)}*`
    const names = new Set<string>()
    let cursor = '0'
    do {
      const reply = await connection.send('ZSCAN', [INDEX_KEY, cursor, 'MATCH', pattern, 'COUNT', String(STEP)])
      const [next, entries] = reply as [cursor: string, entries: string[]]
      // Names and scores alternate.
      for (let i = 0; i < entries.length; i += 2) names.add(entries[i]!)
      cursor = next
    } while (cursor !== '0')
    return [...names].toSorted()
  }

  return {
    async get(cacheKey) {
      const value = (await connection.send('GET', [RESULT_PREFIX + nameOf(cacheKey)])) as string | null
      return value === null ? null : { ...resultOf(value), layer: 'redis' }
    },

    async put(cacheKey, result) {
      const args = [valueOf(result), ttlMs, result.storedAtMs, nameOf(cacheKey), maxResults, STEP]
      await putScript(connection, INDEX_KEY, args)
    },

    count: async () => (await connection.send('ZCARD', [INDEX_KEY])) as number,

    async sweep(storedBeforeMs, storedAfterMs) {
      const before = await sweepResults(connection, '-inf', `(${storedBeforeMs}`)
      return before + (await sweepResults(connection, `(${storedAfterMs}`, '+inf'))
    },

    async variantsOf(page) {
      const names = await namesOf(page)
      if (names.length === 0) return []
      const keys = names.map((name) => RESULT_PREFIX + name)
      const values = (await connection.send('MGET', keys)) as (string | null)[]
      return names.flatMap((name, i) => {
        const value = values[i] ?? null
        return value === null ? [] : [{ ...resultOf(value), variant: splitCacheKey(name).variant }]
      })
    },

    async deletePage(page, announce) {
      const names = await namesOf(page)
      let deleted = 0
      if (names.length > 0) {
        const keys = names.map((name) => RESULT_PREFIX + name)
        deleted = (await connection.send('UNLINK', keys)) as number
        await connection.send('ZREM', [INDEX_KEY, ...names])
      }
      if (announce) {
        await connection.send('XADD', [DELETED_KEY, 'MAXLEN', '~', MAX_DELETIONS, '*', 'page', page])
        // Results that other processes keep in memory expire after the same time.
        await connection.send('PEXPIRE', [DELETED_KEY, String(ttlMs)])
      }
      return deleted
    },

    async deletedPages() {
      if (lastDeletion === null) {
        const [newest] = (await connection.send('XREVRANGE', [DELETED_KEY, '+', '-', 'COUNT', '1'])) as StreamEntry[]
        lastDeletion = newest?.[0] ?? '0-0'
        return []
      }
      const [ms, sequence] = lastDeletion.split('-').map(Number) as [number, number]
      // Redis 6.0 has no exclusive ranges.
      const entries = (await connection.send('XRANGE', [DELETED_KEY, `${ms}-${sequence + 1}`, '+'])) as StreamEntry[]
      lastDeletion = entries.at(-1)?.[0] ?? lastDeletion
      return entries.map(([, [, page]]) => page)
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

/** In base64url, the names of results are a third shorter. */
const nameOf = (cacheKey: string) => hashedCacheKey(cacheKey, 'base64url')

type StreamEntry = [id: string, fields: [name: string, page: string]]
