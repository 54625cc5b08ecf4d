import { keyStateOf } from '../../core/accounts/key-expiry.ts'
import type { WithUsage } from '../../service/usage/key-usage.ts'
import type { KeyItem } from '../../../views/ui/key-table.tsx'

/** A key for display in lists. */
export function keyItemOf(key: WithUsage, nowMs: number): KeyItem {
  const { id, name, lastFour, createdAtMs, lastUsedAtMs, expiresAtMs, replacedById, successes } = key
  return {
    id,
    name,
    lastFour,
    createdAtMs,
    lastUsedAtMs,
    requestsThisMonth: successes,
    state: keyStateOf(key, nowMs),
    expiresAtMs,
    isReplaced: replacedById !== null,
  }
}
