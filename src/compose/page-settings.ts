import type { FixedConfig } from '../config.ts'
import type { CurrentSettings, LiveSettings } from '../core/settings/live-settings.ts'
import type { NetworkOptions } from '../fetch/connection/network.ts'

type NetworkConfig = Pick<FixedConfig, 'dnsServers' | 'egressProxy' | 'userAgent' | 'acceptLanguage'>

/** Shared by the fetcher, the renderer and the image proxy. */
export function networkOptions(
  { dnsServers, egressProxy, userAgent, acceptLanguage }: NetworkConfig,
  settings: CurrentSettings<'allow' | 'sites'>,
  ownPorts: () => readonly number[] = () => [],
): NetworkOptions {
  return { settings, dnsServers, egressProxy, userAgent: userAgent.text, acceptLanguage, ownPorts }
}

export type PageConfig = NetworkConfig & Pick<FixedConfig, 'oembed'>

/** The settings with which a worker reads pages. Plain data, because the settings are sent to another thread. */
export interface PageSettings extends PageConfig {
  live: LiveSettings
}

export function pageSettings(config: PageConfig, live: LiveSettings): PageSettings {
  const { dnsServers, egressProxy, userAgent, acceptLanguage, oembed } = config
  return { dnsServers, egressProxy, userAgent, acceptLanguage, oembed, live }
}
