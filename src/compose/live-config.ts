import type { Config } from '../config.ts'

/** A configuration whose plans, allow-list and rules for sites can change while the server runs. */
export interface LiveConfig {
  config: Config
  /** Applies the plans, the allow-list and the rules for sites of `next` from the next request on. */
  apply(next: Pick<Config, 'plans' | 'allowPrivateHosts' | 'sites'>): void
}

/** `apply` changes the contents of the plans and allow-list objects, so code that holds them sees the new values. */
export function liveConfig(config: Config): LiveConfig {
  const plans = { ...config.plans }
  const allowPrivateHosts = [...config.allowPrivateHosts]
  const sites = [...config.sites]
  return {
    config: { ...config, plans, allowPrivateHosts, sites },
    apply(next) {
      Object.assign(plans, next.plans)
      allowPrivateHosts.splice(0, allowPrivateHosts.length, ...next.allowPrivateHosts)
      sites.splice(0, sites.length, ...next.sites)
    },
  }
}
