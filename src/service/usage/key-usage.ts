import type { ApiKey } from '../../core/accounts/ports.ts'
import type { UsageHistory } from '../../core/usage/ports.ts'

export type WithUsage<Key extends ApiKey = ApiKey> = Key & {
  /** Responses with status 200, which are charged. */
  successes: number
  /** The latest request before the key ended; null if the key was never used. */
  lastUsedAtMs: number | null
}

/** Uses one query for the keys of all users. */
export async function withUsage<Key extends ApiKey>(keys: readonly Key[], usage: UsageHistory, month: string) {
  const userIds = new Set(keys.map(({ userId }) => userId))
  const known = await usage.keysOf([...userIds], month)
  return keys.map((key): WithUsage<Key> => ({ ...key, ...(known.get(key.id) ?? { successes: 0, lastUsedAtMs: null }) }))
}
