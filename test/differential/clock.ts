import { setSystemTime } from 'bun:test'

import type { RedisServer } from '../redis.ts'
import type { Random } from './random.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** In the future, because PostgreSQL deletes what has expired by its own clock. */
const START_MS = Date.parse('2100-11-20T12:00:00Z')

/** The clock of both sides, which stands still between two steps. */
export interface Clock extends Disposable {
  /** Moves it by seconds or minutes, rarely by a day or to the end of the month. */
  goOn(random: Random): Promise<void>
}

/**
 * Redis counts requests per minute by its own clock, which cannot be set. But it keeps to the latest minute that it has
 * counted in for up to two minutes, so the next one is made the latest.
 */
const NEXT_MINUTE = `
for _, key in ipairs(redis.call('KEYS', 'urlmeta:minute:*')) do redis.call('DEL', key) end
redis.call('SET', 'urlmeta:minute', math.floor(redis.call('TIME')[1] / 60) + 1)`

export async function startClock(redis: RedisServer): Promise<Clock> {
  let nowMs = START_MS
  const startMinute = () => redis.command('EVAL', NEXT_MINUTE, '0')
  await startMinute()
  setSystemTime(nowMs)
  return {
    async goOn(random) {
      const now = new Date(nowMs)
      const endOfMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - 1
      const others = [nowMs + HOUR_MS, nowMs + HOUR_MS, nowMs + DAY_MS, endOfMonth]
      const nextMs = random.mostly(nowMs + random.of([1_000, MINUTE_MS]), others)
      if (Math.floor(nextMs / MINUTE_MS) !== Math.floor(nowMs / MINUTE_MS)) await startMinute()
      nowMs = nextMs
      setSystemTime(nowMs)
    },
    [Symbol.dispose]: () => void setSystemTime(),
  }
}
