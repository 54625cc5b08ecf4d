import type { LoadedConfig } from '../compose/live-config.ts'
import type { Config } from '../config.ts'
import type { Setting } from '../config/env-reader.ts'

/** The variables that can change while the server runs; all others are only read when it starts. */
const RELOADABLE = /^URLMETA_(LOG|ALLOW_PRIVATE_HOSTS|SITES|PLAN_\w+)$/

export interface Reload {
  config: Pick<Config, 'plans' | 'allowPrivateHosts' | 'sites' | 'logLevel'>
  /** Names of variables that changed and take effect. */
  changed: string[]
  /** Names of variables that changed and take effect after a restart. */
  needRestart: string[]
  /** The settings in effect after the reload. */
  settings: readonly Setting[]
}

/** Compares the settings in effect with a configuration that was read again. Changes of masked secrets are not detected. */
export function prepareReload(settings: readonly Setting[], current: LoadedConfig): Reload {
  const valueOf = (all: readonly Setting[], name: string) => {
    const { value, detail } = all.find((one) => one.name === name) ?? {}
    return JSON.stringify([value, detail])
  }
  const names = new Set([...settings, ...current.settings].map(({ name }) => name))
  const changes = [...names].filter((name) => valueOf(settings, name) !== valueOf(current.settings, name)).toSorted()
  return {
    config: current.config,
    changed: changes.filter((name) => RELOADABLE.test(name)),
    needRestart: changes.filter((name) => !RELOADABLE.test(name)),
    settings: settings.map((one) =>
      RELOADABLE.test(one.name) ? (current.settings.find(({ name }) => name === one.name) ?? one) : one,
    ),
  }
}
