import { createHash } from 'node:crypto'

import { ScriptMissingError, type RedisConnection } from './connection.ts'

/**
 * Returns a function that runs a Lua script, which Redis does atomically. The script is identified by its hash, and sent
 * in full if the server does not have it. The function throws RedisUnavailableError.
 */
export function luaScript(source: string) {
  // Redis identifies scripts by their SHA-1. It protects no secret.
  const hash = createHash('sha1').update(source).digest('hex')
  return async (
    connection: RedisConnection,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> => {
    const parameters = [String(keys.length), ...keys, ...args.map(String)]
    try {
      return await connection.send('EVALSHA', [hash, ...parameters])
    } catch (error) {
      if (!(error instanceof ScriptMissingError)) throw error
      return await connection.send('EVAL', [source, ...parameters])
    }
  }
}
