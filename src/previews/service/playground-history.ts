import { PLAYGROUND_RETENTION_MS } from '../../core/lifetimes.ts'
import type { PlaygroundRecord } from './playground-record.ts'
import type { PlaygroundResults } from '../../core/saved-results/ports.ts'
import type { System } from '../../core/system.ts'
import { newToken } from '../../core/accounts/token.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'

/** Incremented when the format of records changes: during an upgrade, processes of two versions may share Redis. */
const FORMAT = 1

/** Stored results. The page of a result can be reloaded and bookmarked without submitting the form again. */
export type PlaygroundHistory = ReturnType<typeof createPlaygroundHistory>

export interface PlaygroundHistoryDeps extends Pick<System, 'now' | 'randomBytes'> {
  results: PlaygroundResults
  /** Records of another allow-list are not shown, because they may be of private hosts that are no longer allowed. */
  settings: CurrentSettings<'allowListId'>
}

export function createPlaygroundHistory(deps: PlaygroundHistoryDeps) {
  const { results, settings, now, randomBytes } = deps
  const format = () => `${FORMAT}${settings().allowListId}`
  const put = (userId: string, id: string, record: PlaygroundRecord) => {
    const json = JSON.stringify({ format: format(), ...record })
    return results.put({ id, userId, json, expiresAtMs: now() + PLAYGROUND_RETENTION_MS })
  }

  return {
    /** Stores a result for an hour, and returns its id, which cannot be guessed. */
    async save(userId: string, record: PlaygroundRecord): Promise<string> {
      const id = newToken(randomBytes)
      await put(userId, id, record)
      return id
    },

    /** The user's result; null when it is unknown, expired, another user's, or of another version or allow-list. */
    async find(userId: string, id: string): Promise<PlaygroundRecord | null> {
      const json = await results.get(userId, id, now())
      if (json === null) return null
      const { format: stored, ...record } = JSON.parse(json) as PlaygroundRecord & { format?: string }
      return stored === format() ? record : null
    },

    /** Replaces a result of the user, and keeps it for another hour. */
    replace: put,
  }
}
