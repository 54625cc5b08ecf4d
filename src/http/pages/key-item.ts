import { keyStateOf } from '../../core/accounts/key-expiry.ts'
import type { WithUsage } from '../../service/usage/key-usage.ts'
import type { KeyItem } from '../../../views/ui/key-table.tsx'

/** A key for display in lists. */
export function keyItemOf(key: WithUsage, nowMs: number): KeyItem {
  return {
    ...key,
    requestsThisMonth: key.successes,
    state: keyStateOf(key, nowMs),
    isReplaced: key.replacedById !== null,
  }
}
