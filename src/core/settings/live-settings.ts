import { allowListId, type AllowRule } from '../net/egress.ts'
import type { Plans } from '../plan.ts'
import type { SiteRule } from '../sites/site-rule.ts'

/**
 * The settings of requests that can change while the server runs, as one immutable snapshot. A reload replaces the whole
 * snapshot. Code that needs settings calls `settings()` for each request, and values derived from a snapshot are valid
 * for that object only. A snapshot is plain data, so that workers receive the same snapshot.
 */
export interface LiveSettings {
  readonly plans: Plans
  /** Private destinations that may be fetched. */
  readonly allow: readonly AllowRule[]
  /** Identifies `allow` in stored results, even after a restart; see `allowListId`. */
  readonly allowListId: string
  /** The operator's rules for sites. */
  readonly sites: readonly SiteRule[]
}

/** Returns the current snapshot, of which the caller uses only the named settings. */
export type CurrentSettings<Name extends keyof LiveSettings> = () => Pick<LiveSettings, Name>

/** Adds `allowListId`. */
export function liveSettings(settings: Omit<LiveSettings, 'allowListId'>): LiveSettings {
  return { ...settings, allowListId: allowListId(settings.allow) }
}
