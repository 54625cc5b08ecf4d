import type { LoadedConfig } from '../config.ts'

export function liveConfig({ config: { live, ...config }, variables }: LoadedConfig) {
  let inEffect = { live, variables }
  return {
    config,
    settings: () => inEffect.live,
    /** The variables in effect, with secrets masked. */
    variables: () => inEffect.variables,
    /** Replaces the settings, from the next request on. */
    replaceSettings(next: LoadedConfig) {
      inEffect = { live: next.config.live, variables: next.variables }
    },
  }
}
