import { createHash } from 'node:crypto'

import { ScriptMissingError, type RedisConnection } from './connection.ts'

/** A Lua script, which Redis runs as one atomic step. */
export interface Script {
  /** @throws RedisUnavailableError */
  run(connection: RedisConnection, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>
}

/** The script is sent by its hash, and in full when the server does not have it yet. */
export function luaScript(source: string): Script {
  // The hash by which Redis names scripts; no secret depends on it.
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
