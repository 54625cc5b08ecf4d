import type { KeyWithUsage } from '../core/account-ports.ts'
import type { KeyItem } from '../../views/ui/key-table.tsx'

/** A key for display in lists. */
export function keyItemOf(key: KeyWithUsage): KeyItem {
  const { id, name, lastFour, createdAtMs, lastUsedAtMs, deactivatedAtMs, answers } = key
  return { id, name, lastFour, createdAtMs, lastUsedAtMs, deactivatedAtMs, requestsThisMonth: answers }
}
