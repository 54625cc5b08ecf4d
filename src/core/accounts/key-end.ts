import { DAY_MS } from '../duration.ts'
import { AppError } from '../errors.ts'
import { dayOf } from '../period.ts'
import type { ApiKey, KeyOwner } from './ports.ts'

/**
 * Why a key no longer works. A rotated key works until its overlap ends; if it expires earlier, even before the
 * rotation, it counts as expired. A deleted key is not listed; it had been deactivated or had expired.
 */
export type KeyEnd = 'expired' | 'rotated' | 'deactivated' | 'deleted'

/** Unix milliseconds. */
export type EndedKey = { end: KeyEnd; endedAtMs: number }

/** Why and since when a key no longer works; null for a key that works. */
export function endOf(
  key: Pick<ApiKey, 'expiresAtMs' | 'deactivatedAtMs' | 'replacedById' | 'deletedAtMs'>,
  nowMs: number,
): EndedKey | null {
  const { expiresAtMs, deactivatedAtMs, replacedById, deletedAtMs } = key
  const endedAtMs = Math.min(deactivatedAtMs ?? Infinity, expiresAtMs ?? Infinity)
  if (deactivatedAtMs === null && nowMs < endedAtMs) return null
  // An expiry is at midnight, and an overlap ends to the millisecond some time after the rotation.
  const ending = replacedById !== null && endedAtMs % DAY_MS !== 0 ? 'rotated' : 'expired'
  const end = deletedAtMs !== null ? 'deleted' : endedAtMs === deactivatedAtMs ? 'deactivated' : ending
  return { end, endedAtMs }
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
