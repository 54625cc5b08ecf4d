import { minuteEndSeconds, minuteOf } from '../../core/period.ts'
import type { RateLimiter } from '../../core/state-ports.ts'
import type { RedisConnection } from './connection.ts'
import { luaScript } from './script.ts'

/** The latest clock minute that a process has counted in. */
const MINUTE_KEY = 'urlmeta:minute'

/**
 * The clocks of machines differ, and a corrected clock steps back. A request from up to two minutes ago is counted in
 * the latest minute, so that a past minute does not begin again. Counts are kept for that long.
 */
const CURRENT_MINUTE = `
local function current_minute()
  local now, latest = tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1]))
  if latest and now <= latest and now >= latest - 2 then return latest end
  redis.call('SET', KEYS[1], now, 'EX', 180)
  return now
end
local minute = current_minute()
local function keyOf(name) return KEYS[1] .. ':' .. minute .. ':' .. name end
`

/**
 * ARGV: the minute, then name and limit of each count. Increments all, and undoes that if one exceeds its limit.
 * Returns allowed (1 or 0), remaining, and the minute.
 */
const TAKE = luaScript(`${CURRENT_MINUTE}
local remaining = math.huge
for i = 2, #ARGV, 2 do
  local taken = redis.call('INCR', keyOf(ARGV[i]))
  if taken == 1 then redis.call('EXPIRE', keyOf(ARGV[i]), 180) end
  remaining = math.min(remaining, tonumber(ARGV[i + 1]) - taken)
end
if remaining >= 0 then return { 1, remaining, minute } end
for i = 2, #ARGV, 2 do redis.call('DECR', keyOf(ARGV[i])) end
return { 0, 0, minute }
`)

/** ARGV: the minute, the number of counts to carry from, their names, then the names to carry to. */
const CARRY = luaScript(`${CURRENT_MINUTE}
local function takenOf(name) return tonumber(redis.call('GET', keyOf(name)) or 0) end
local last = 2 + tonumber(ARGV[2])
local most = 0
for i = 3, last do most = math.max(most, takenOf(ARGV[i])) end
for i = last + 1, #ARGV do
  if most > takenOf(ARGV[i]) then redis.call('SET', keyOf(ARGV[i]), most, 'EX', 180) end
end
`)

/**
 * Fixed clock minutes, counted for all processes together. The scripts compute their keys from the minute, so they need
 * one server, or one primary with replicas, and not Redis Cluster.
 */
export function redisRateLimiter(connection: RedisConnection): RateLimiter {
  return {
    async take(counts, nowMs) {
      const args = counts.flatMap(({ key, limit }) => [key, limit])
      const reply = await TAKE.run(connection, [MINUTE_KEY], [minuteOf(nowMs), ...args])
      const [allowed, remaining, minute] = reply as [number, number, number]
      return { allowed: allowed === 1, remaining, resetsAt: minuteEndSeconds(minute) }
    },

    async carry(from, to, nowMs) {
      await CARRY.run(connection, [MINUTE_KEY], [minuteOf(nowMs), from.length, ...from, ...to])
    },
  }
}
