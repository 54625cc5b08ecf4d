import type { ApiKey } from '../core/account-ports.ts'
import type { UsageHistory } from '../core/usage-ports.ts'

/** A key with its answers of one month, which are what is charged. */
export type WithUsage<Key extends ApiKey = ApiKey> = Key & {
  answers: number
  /** Null when the key was never used. */
  lastUsedAtMs: number | null
}

/** The keys with their usage, which is asked for once, however many users they belong to. */
export async function withUsage<Key extends ApiKey>(
  keys: readonly Key[],
  usage: UsageHistory,
  month: string,
): Promise<WithUsage<Key>[]> {
  const userIds = new Set(keys.map(({ userId }) => userId))
  const known = await usage.keysOf([...userIds], month)
  return keys.map((key) => ({ ...key, ...(known.get(key.id) ?? { answers: 0, lastUsedAtMs: null }) }))
}
