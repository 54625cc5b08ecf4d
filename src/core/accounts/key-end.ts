import { AppError } from '../errors.ts'
import { dayOf } from '../period.ts'
import { keyStateOf } from './key-expiry.ts'
import type { ApiKey, KeyOwner } from './ports.ts'

/** Why a key no longer works. A deleted key has no page, and was deactivated or had expired before. */
export type KeyEnd = 'expired' | 'rotated' | 'deactivated' | 'deleted'

/** Unix milliseconds. */
export type EndedKey = { end: KeyEnd; endedAtMs: number }

/** Why and since when a key no longer works; null for a key that works. */
export function endOf(
  key: Pick<ApiKey, 'expiresAtMs' | 'deactivatedAtMs' | 'replacedById' | 'deletedAtMs'>,
  nowMs: number,
): EndedKey | null {
  const state = keyStateOf(key, nowMs)
  if (state === 'active') return null
  const end =
    key.deletedAtMs !== null ? 'deleted' : state === 'expired' && key.replacedById !== null ? 'rotated' : state
  return { end, endedAtMs: key.deactivatedAtMs ?? key.expiresAtMs! }
}

/** The reason in the request log: `key_expired 2026-11-28`, with the last day (UTC) of the key. */
export const endReason = ({ end, endedAtMs }: EndedKey): string => `key_${end} ${dayOf(endedAtMs - 1)}`

/** The key of a request was known, but no longer works. Clients get the same message as for an unknown key. */
export class EndedKeyError extends AppError {
  override name = 'EndedKeyError'
  constructor(
    readonly owner: Pick<KeyOwner, 'keyId' | 'userId'>,
    readonly ended: EndedKey,
  ) {
    super('unauthorized', 'Invalid API key')
  }
}
