import type { ApiKey } from './ports.ts'
import { ALLOW_LIST_NAMES, KEY_SETTINGS } from './key-settings.ts'
import { isoTime } from '../iso-time.ts'

/** A key with its usage, as the command line and the export of an account print it. Times are ISO 8601 in UTC. */
export function keyJson(key: ApiKey & { lastUsedAtMs: number | null }) {
  return {
    id: key.id,
    name: key.name,
    last_four: key.lastFour,
    created_at: isoTime(key.createdAtMs),
    last_used_at: isoTime(key.lastUsedAtMs),
    expires_at: isoTime(key.expiresAtMs),
    deactivated_at: isoTime(key.deactivatedAtMs),
    replaced_by: key.replacedById,
    ...Object.fromEntries(ALLOW_LIST_NAMES.map((list) => [`allowed_${KEY_SETTINGS[list].field}`, key[list]])),
  }
}
