import { createHash } from 'node:crypto'

import { ScriptMissingError, type RedisConnection } from './connection.ts'

/** Entries deleted in one step, which blocks Redis for about a millisecond. */
export const STEP = 500

/**
 * Returns a function that runs a Lua script on a key, which Redis does atomically. The script is identified by its hash,
 * and sent in full if the server does not have it. The function throws RedisUnavailableError.
 */
export function luaScript(source: string) {
  // Redis identifies scripts by their SHA-1. It protects no secret.
  const hash = createHash('sha1').update(source).digest('hex')
  return async (connection: RedisConnection, key: string, args: readonly (string | number)[]): Promise<unknown> => {
    const parameters = ['1', key, ...args.map(String)]
    try {
      return await connection.send('EVALSHA', [hash, ...parameters])
    } catch (error) {
      if (!(error instanceof ScriptMissingError)) throw error
      return await connection.send('EVAL', [source, ...parameters])
    }
  }
}

/**
 * Returns a function that deletes the entries of a sorted set whose score is in a range, such as `-inf` to `(5`, and
 * the values of these entries, whose keys begin with `prefix`. The function returns the number of deleted entries.
 */
export function sweepScript(index: string, prefix: string) {
  const sweepStep = luaScript(`
local found = redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])
for _, name in ipairs(found) do
  redis.call('UNLINK', '${prefix}' .. name)
  redis.call('ZREM', KEYS[1], name)
end
return #found
`)
  return async (connection: RedisConnection, lowest: string, highest: string): Promise<number> => {
    for (let total = 0; ;) {
      const swept = (await sweepStep(connection, index, [lowest, highest, STEP])) as number
      total += swept
      if (swept < STEP) return total
    }
  }
}
