import type { Config } from '../config.ts'

/** A configuration whose plans and allow-list can change while the server runs. */
export interface LiveConfig {
  config: Config
  /** Takes plans and allow-list over from `next`; they count from the next request on. */
  apply(next: Pick<Config, 'plans' | 'allowPrivateHosts'>): void
}

/** Everybody who is given parts of `config` shares the same objects, so what is put into them here is seen by all. */
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
