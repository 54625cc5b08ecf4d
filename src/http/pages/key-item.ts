import { endOf } from '../../core/accounts/key-end.ts'
import { EXPIRES_SOON_MS } from '../../core/accounts/key-expiry.ts'
import type { WithUsage } from '../../service/usage/key-usage.ts'
import type { KeyItem } from '../../../views/ui/key-table.tsx'

export function keyItemOf(key: WithUsage, nowMs: number): KeyItem {
  const ended = endOf(key, nowMs)
  const isNearEnd = key.expiresAtMs !== null && key.expiresAtMs - nowMs <= EXPIRES_SOON_MS
  const expiresSoon = ended === null && key.replacedById === null && isNearEnd
  return { ...key, requestsThisMonth: key.successes, expiresSoon, ended }
}
