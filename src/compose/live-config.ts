import type { Config } from '../config.ts'

/** A configuration whose plans and allow-list can change while the server runs. */
export interface LiveConfig {
  config: Config
  /** Applies the plans and the allow-list of `next` from the next request on. */
  apply(next: Pick<Config, 'plans' | 'allowPrivateHosts'>): void
}

/** `apply` changes the contents of the plans and allow-list objects, so code that holds them sees the new values. */
export function liveConfig(config: Config): LiveConfig {
  const plans = { ...config.plans }
  const allowPrivateHosts = [...config.allowPrivateHosts]
  return {
    config: { ...config, plans, allowPrivateHosts },
    apply(next) {
      Object.assign(plans, next.plans)
      allowPrivateHosts.splice(0, allowPrivateHosts.length, ...next.allowPrivateHosts)
    },
  }
}
