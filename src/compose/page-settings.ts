import type { Config } from '../config.ts'
import { restoredRule } from '../core/net/egress.ts'

/** The network options shared by fetcher, renderer and image proxy. */
export function networkOptions(
  { allowPrivateHosts, dnsServers, egressProxy, sites, userAgent }: PageSettings,
  ownPorts: () => readonly number[],
) {
  return { allow: allowPrivateHosts, dnsServers, egressProxy, sites, userAgent: userAgent.text, ownPorts }
}

/** The settings that pages are read with. */
export type PageSettings = Pick<
  Config,
  'allowPrivateHosts' | 'dnsServers' | 'egressProxy' | 'sites' | 'userAgent' | 'oembed'
>

/** Their lists change when the configuration is reloaded. */
export function pageSettings(config: Config): PageSettings {
  const { allowPrivateHosts, dnsServers, egressProxy, sites, userAgent, oembed } = config
  return { allowPrivateHosts, dnsServers, egressProxy, sites, userAgent, oembed }
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
