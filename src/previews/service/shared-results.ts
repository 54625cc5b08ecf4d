import { hashToken, newToken } from '../../core/accounts/token.ts'
import { publicCopy } from '../../core/fetch/public-copy.ts'
import { SHARED_RESULT_MS } from '../../core/lifetimes.ts'
import type { PlaygroundSuccessRecord } from './playground-record.ts'
import { MAX_SHARED_CHARS, MAX_SHARED_PER_USER, type SharedResults } from '../../core/saved-results/ports.ts'
import type { System } from '../../core/system.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import { type RateLimiter, requireWithinLimit } from '../../core/usage/rate-limiter.ts'

/** Incremented when the format of snapshots changes. Links to snapshots of another format do not work. */
const FORMAT = 1

/**
 * Per link and client address. A person who opens each of the six tabs twice needs 12 views. Five people behind the
 * address of an office may do so in the same minute, for example when a colleague sends them the link.
 */
export const VIEWS_PER_MINUTE = 60

/** Links to results of the playground, which work for a week without an account. */
export type SharingService = ReturnType<typeof createSharing>

export interface SharingDeps extends System {
  sharedResults: SharedResults
  /** As in the playground, results of another allow-list are not shown. */
  settings: CurrentSettings<'allowListId'>
  /** Counts views by link and client network. */
  viewLimiter: RateLimiter
}

export function createSharing({ sharedResults, settings, viewLimiter, now, newId, randomBytes }: SharingDeps) {
  const format = () => `${FORMAT}${settings().allowListId}`
  const hashOf = (token: string) => hashToken('shared', token)

  return {
    /** Stores a copy of the result without private addresses, and returns the token of its link. */
    async share(
      userId: string,
      outcome: PlaygroundSuccessRecord,
    ): Promise<{ token: string; expiresAtMs: number } | 'too_large' | 'too_many'> {
      const json = JSON.stringify({ format: format(), ...publicCopy(outcome, outcome.details?.trace) })
      if (json.length > MAX_SHARED_CHARS) return 'too_large'
      const token = newToken(randomBytes)
      const createdAtMs = now()
      const expiresAtMs = createdAtMs + SHARED_RESULT_MS
      const result = { id: newId(), userId, url: outcome.url, createdAtMs, expiresAtMs }
      const isShared = await sharedResults.share({ ...result, tokenHash: hashOf(token), json }, MAX_SHARED_PER_USER)
      return isShared ? { token, expiresAtMs } : 'too_many'
    },

    /** The result as it was shared; null for a link that is unknown, expired, or of another version or allow-list. */
    async find(token: string) {
      const tokenHash = hashOf(token)
      const found = await sharedResults.find(tokenHash, now())
      if (found === null) return null
      const { json, ...result } = found
      const { format: stored, ...outcome } = JSON.parse(json) as PlaygroundSuccessRecord & { format?: string }
      return stored === format() ? { ...result, tokenHash, outcome } : null
    },

    /** Counts a view of a result that was found, so that unknown links use no memory. @throws ClientLimitError */
    countView(tokenHash: string, network: string) {
      const views = { key: `${tokenHash} ${network}`, limit: VIEWS_PER_MINUTE }
      return requireWithinLimit(viewLimiter, 'visitor_limit', views, now())
    },

    /** The user's shared results, newest first. */
    list: (userId: string) => sharedResults.list(userId, now()),

    stop: (userId: string, id: string) => sharedResults.stop(userId, id),
  }
}
