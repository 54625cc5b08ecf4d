import type { Config } from '../config.ts'
import { restoredRule } from '../core/net/egress.ts'

/** The network options shared by fetcher, renderer and image proxy. */
export function networkOptions(settings: PageSettings, ownPorts: () => readonly number[]) {
  const { allowPrivateHosts: allow, dnsServers, egressProxy, sites, userAgent, acceptLanguage } = settings
  return { allow, dnsServers, egressProxy, sites, userAgent: userAgent.text, acceptLanguage, ownPorts }
}

/** The settings that pages are read with. */
export type PageSettings = ReturnType<typeof pageSettings>

/** Their lists change when the configuration is reloaded. */
export function pageSettings(config: Config) {
  const { allowPrivateHosts, dnsServers, egressProxy, sites, userAgent, acceptLanguage, oembed } = config
  return { allowPrivateHosts, dnsServers, egressProxy, sites, userAgent, acceptLanguage, oembed }
}

/** The settings that a worker received, with lists that can change. */
export function receivedSettings(settings: PageSettings) {
  const { egressProxy, allowPrivateHosts, sites } = settings
  return {
    ...settings,
    allowPrivateHosts: allowPrivateHosts.map(restoredRule),
    egressProxy: egressProxy && { ...egressProxy, exceptions: egressProxy.exceptions.map(restoredRule) },
    sites: [...sites],
  }
}
