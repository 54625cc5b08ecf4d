import type { Config } from '../config.ts'
import type { Setting } from '../config/env-reader.ts'
import { allowListId } from '../core/net/egress.ts'

/** A configuration and the settings that it was read from. */
export interface LoadedConfig {
  config: Config
  settings: readonly Setting[]
}

/**
 * A configuration whose plans, allow-list and rules for sites can change while the server runs. `apply` changes the
 * contents of these objects, so code that holds them sees the new values.
 */
export function liveConfig({ config, settings }: LoadedConfig) {
  const plans = { ...config.plans }
  const allowPrivateHosts = [...config.allowPrivateHosts]
  const sites = [...config.sites]
  let inEffect = settings
  let listId = allowListId(allowPrivateHosts)
  return {
    config: { ...config, plans, allowPrivateHosts, sites },
    /** The settings in effect, with secrets masked. */
    settings: () => inEffect,
    /** See `allowListId`. */
    allowListId: () => listId,
    /** Applies the plans, the allow-list and the rules for sites of `next` from the next request on. */
    apply(next: Pick<Config, 'plans' | 'allowPrivateHosts' | 'sites'>, nextSettings: readonly Setting[]) {
      Object.assign(plans, next.plans)
      allowPrivateHosts.splice(0, allowPrivateHosts.length, ...next.allowPrivateHosts)
      listId = allowListId(allowPrivateHosts)
      sites.splice(0, sites.length, ...next.sites)
      inEffect = nextSettings
    },
  }
}
