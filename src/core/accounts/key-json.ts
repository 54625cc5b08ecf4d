import type { ApiKey } from './ports.ts'
import { ALLOW_LIST_NAMES, KEY_SETTINGS } from './key-settings.ts'
import { rowJson } from '../row-json.ts'

/** A key with its usage, as the command line and the export of an account print it. Times are ISO 8601 in UTC. */
export function keyJson(key: ApiKey & { lastUsedAtMs: number | null }): Record<string, unknown> {
  return {
    ...rowJson(key, ['id', 'name', 'lastFour', 'createdAtMs', 'lastUsedAtMs', 'expiresAtMs', 'deactivatedAtMs']),
    replaced_by: key.replacedById,
    ...Object.fromEntries(ALLOW_LIST_NAMES.map((list) => [`allowed_${KEY_SETTINGS[list].field}`, key[list]])),
  }
}
