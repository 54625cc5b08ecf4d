import { EXPIRES_SOON_MS, keyStateOf } from '../../core/accounts/key-expiry.ts'
import type { WithUsage } from '../../service/usage/key-usage.ts'
import type { KeyItem } from '../../../views/ui/key-table.tsx'

export function keyItemOf(key: WithUsage, nowMs: number): KeyItem {
  const state = keyStateOf(key, nowMs)
  const isReplaced = key.replacedById !== null
  const isNearEnd = key.expiresAtMs !== null && key.expiresAtMs - nowMs <= EXPIRES_SOON_MS
  const expiresSoon = state === 'active' && !isReplaced && isNearEnd
  return { ...key, requestsThisMonth: key.successes, state, isReplaced, expiresSoon }
}
