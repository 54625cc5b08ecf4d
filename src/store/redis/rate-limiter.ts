import type { RateLimiter } from '../../core/usage/rate-limiter.ts'
import type { RedisConnection } from './connection.ts'
import { luaScript } from './script.ts'

/** The latest clock minute in which a request was counted. */
const MINUTE_KEY = 'urlmeta:minute'

/**
 * Uses the clock of Redis, because the clocks of the processes differ. When that clock is set back by up to two
 * minutes, requests are counted in the latest minute, so that a past minute does not begin again. Counts are kept for
 * that long.
 */
const CURRENT_MINUTE = `
local time = redis.call('TIME')
local now_ms = tonumber(ARGV[1]) or time[1] * 1000 + math.floor(time[2] / 1000)
local function current_minute()
  local now, latest = math.floor(now_ms / 60000), tonumber(redis.call('GET', KEYS[1]))
  if latest and now <= latest and now >= latest - 2 then return latest end
  redis.call('SET', KEYS[1], now, 'EX', 180)
  return now
end
local minute = current_minute()
local function keyOf(name) return KEYS[1] .. ':' .. minute .. ':' .. name end
`

/**
 * ARGV: the time or '', then name and limit of each count. Increments all counts, and decrements them again if one
 * exceeds its limit. Returns three numbers: the position of the count that refuses the request, or 0; the remaining
 * requests; and the milliseconds left in the minute.
 */
const takeScript = luaScript(`${CURRENT_MINUTE}
local remaining, refusing = math.huge, 0
for i = 2, #ARGV, 2 do
  local taken = redis.call('INCR', keyOf(ARGV[i]))
  if taken == 1 then redis.call('EXPIRE', keyOf(ARGV[i]), 180) end
  remaining = math.min(remaining, tonumber(ARGV[i + 1]) - taken)
  if remaining < 0 and refusing == 0 then refusing = i / 2 end
end
local left_ms = (minute + 1) * 60000 - now_ms
if refusing == 0 then return { 0, remaining, left_ms } end
for i = 2, #ARGV, 2 do redis.call('DECR', keyOf(ARGV[i])) end
return { refusing, 0, left_ms }
`)

/**
 * ARGV: the time or '', the number of counts to read, their names, then the names of other counts. Raises these to the
 * highest count that was read.
 */
const raiseScript = luaScript(`${CURRENT_MINUTE}
local function takenOf(name) return tonumber(redis.call('GET', keyOf(name)) or 0) end
local last = 2 + tonumber(ARGV[2])
local most = 0
for i = 3, last do most = math.max(most, takenOf(ARGV[i])) end
for i = last + 1, #ARGV do
  if most > takenOf(ARGV[i]) then redis.call('SET', keyOf(ARGV[i]), most, 'EX', 180) end
end
`)

/**
 * Limits by clock minute, counted for all processes together. The scripts compute their keys from the minute, so they
 * need one server, or one primary with replicas, and not Redis Cluster.
 * @param clock `caller` uses the time that the caller passes, for tests
 */
export function redisRateLimiter(connection: RedisConnection, clock: 'redis' | 'caller' = 'redis'): RateLimiter {
  const timeOf = (nowMs: number) => (clock === 'caller' ? nowMs : '')
  return {
    async take(counts, nowMs) {
      const args = counts.flatMap(({ key, limit }) => [key, limit])
      const reply = await takeScript(connection, MINUTE_KEY, [timeOf(nowMs), ...args])
      const [refusing, remaining, leftMs] = reply as [number, number, number]
      const resetsAt = Math.ceil((nowMs + leftMs) / 1_000)
      return { allowed: refusing === 0, refusedBy: counts[refusing - 1]?.key, remaining, resetsAt }
    },

    async raise(from, to, nowMs) {
      await raiseScript(connection, MINUTE_KEY, [timeOf(nowMs), from.length, ...from, ...to])
    },
  }
}
