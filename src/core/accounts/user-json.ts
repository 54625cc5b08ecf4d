import { isoTime } from '../iso-time.ts'
import { LIMIT_NAMES, LIMITS } from '../plan.ts'
import type { User } from './ports.ts'

/** A user in the JSON of commands and of the account's export. Own limits are null for those of the plan. */
export function userJson(user: User) {
  const { id, email, plan, createdAtMs } = user
  const own_limits = Object.fromEntries(LIMIT_NAMES.map((name) => [LIMITS[name].field, user[name]]))
  return { id, email, plan, own_limits, created_at: isoTime(createdAtMs) }
}
