import { createHash } from 'node:crypto'

import { ScriptMissingError, type RedisConnection } from './connection.ts'

/** A Lua script, which Redis runs atomically. */
export interface Script {
  /** @throws RedisUnavailableError */
  run(connection: RedisConnection, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>
}

/** The script is identified by its hash, and sent in full if the server does not have it. */
export function luaScript(source: string): Script {
  // Redis identifies scripts by their SHA-1. It protects no secret.
  const hash = createHash('sha1').update(source).digest('hex')
  return {
    async run(connection, keys, args) {
      const parameters = [String(keys.length), ...keys, ...args.map(String)]
      try {
        return await connection.send('EVALSHA', [hash, ...parameters])
      } catch (error) {
        if (!(error instanceof ScriptMissingError)) throw error
        return await connection.send('EVAL', [source, ...parameters])
      }
    },
  }
}
