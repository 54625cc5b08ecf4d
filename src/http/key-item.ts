import type { WithUsage } from '../service/key-usage.ts'
import type { KeyItem } from '../../views/ui/key-table.tsx'

/** A key for display in lists. */
export function keyItemOf(key: WithUsage): KeyItem {
  const { id, name, lastFour, createdAtMs, lastUsedAtMs, deactivatedAtMs, answers } = key
  return { id, name, lastFour, createdAtMs, lastUsedAtMs, deactivatedAtMs, requestsThisMonth: answers }
}
