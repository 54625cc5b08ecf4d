import { DEFAULT_PLANS } from '../src/core/plan.ts'
import { type LiveSettings, liveSettings } from '../src/core/settings/live-settings.ts'

/** Returns settings that never change: these and the defaults. */
export function settingsOf(settings: Partial<Omit<LiveSettings, 'allowListId'>> = {}): () => LiveSettings {
  const snapshot = liveSettings({ plans: DEFAULT_PLANS, allow: [], sites: [], ...settings })
  return () => snapshot
}
