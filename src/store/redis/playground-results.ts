import { HOUR_MS } from '../../core/duration.ts'
import { MAX_RESULT_CHARS, MAX_RESULTS_PER_USER, type PlaygroundResults } from '../../core/saved-results/ports.ts'
import type { RedisConnection } from './connection.ts'
import { luaScript, sweepScript } from './script.ts'

/** A sorted set of the ids of all results by expiry time, used to enforce the maximum and to sweep. */
const INDEX_KEY = 'urlmeta:playground'
const RESULT_PREFIX = 'urlmeta:playground:result:'
/** A list of the result ids of one user, newest first. */
const USER_PREFIX = 'urlmeta:playground:user:'

/** The maximum number of results of all users: about 50 MB at 12 KB each, and 1 GB if all have the maximum size. */
const MAX_RESULTS = 4_000

/** The lifetime in Redis, by its clock. Results are valid for an hour, which `get` checks by the caller's clock. */
const TTL_MS = 2 * HOUR_MS

/** ARGV: id, user id, value, expiry time, milliseconds to live, the maximum per user, the maximum. */
const putScript = luaScript(`
redis.call('SET', '${RESULT_PREFIX}' .. ARGV[1], ARGV[3], 'PX', ARGV[5])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
local ids = '${USER_PREFIX}' .. ARGV[2]
redis.call('LREM', ids, 0, ARGV[1])
redis.call('LPUSH', ids, ARGV[1])
redis.call('PEXPIRE', ids, ARGV[5])
local function delete(id)
  redis.call('UNLINK', '${RESULT_PREFIX}' .. id)
  redis.call('ZREM', KEYS[1], id)
end
while redis.call('LLEN', ids) > tonumber(ARGV[6]) do delete(redis.call('RPOP', ids)) end
if redis.call('ZCARD', KEYS[1]) > tonumber(ARGV[7]) then delete(redis.call('ZRANGE', KEYS[1], 0, 0)[1]) end
`)

const sweepResults = sweepScript(INDEX_KEY, RESULT_PREFIX)

/** Results that every process finds, because a redirect to the page of a result may reach another process. */
export function redisPlaygroundResults(connection: RedisConnection): PlaygroundResults {
  return {
    async put({ id, userId, json, expiresAtMs }) {
      if (json.length > MAX_RESULT_CHARS) return
      const value = `${userId}\n${expiresAtMs}\n${json}`
      const args = [id, userId, value, expiresAtMs, TTL_MS, MAX_RESULTS_PER_USER, MAX_RESULTS]
      await putScript(connection, INDEX_KEY, args)
    },

    async get(userId, id, nowMs) {
      const value = (await connection.send('GET', [RESULT_PREFIX + id])) as string | null
      if (value === null) return null
      const [owner, expiresAtMs, ...lines] = value.split('\n')
      return owner === userId && Number(expiresAtMs) > nowMs ? lines.join('\n') : null
    },

    sweep: (nowMs) => sweepResults(connection, '-inf', String(nowMs)),
  }
}
