import type { Config } from '../config.ts'
import type { Setting } from '../config/env-reader.ts'

/** What can change while the server runs; everything else is built into it at its start. */
const RELOADABLE = /^URLMETA_(LOG|ALLOW_PRIVATE_HOSTS|PLAN_\w+)$/

/** A configuration and the settings that it was read from. */
export interface Configured {
  config: Config
  settings: readonly Setting[]
}

export interface Reload {
  config: Pick<Config, 'plans' | 'allowPrivateHosts' | 'logLevel'>
  /** Names of variables that changed and take effect. */
  changed: string[]
  /** Names of variables that changed and need a new start. */
  needRestart: string[]
  /** What is in effect now: the settings from before, with those that changed. */
  settings: readonly Setting[]
}

/** Compares the configuration in effect with one that was read again. Masked secrets look the same. */
export function reloadOf(settings: readonly Setting[], current: Configured): Reload {
  const valueOf = (all: readonly Setting[], name: string) => all.find((one) => one.name === name)?.value
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
