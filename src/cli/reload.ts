import type { LoadedConfig } from '../compose/live-config.ts'
import type { Setting } from '../config/env-reader.ts'

/** The variables that can change while the server runs; all others are only read when it starts. */
const RELOADABLE = /^URLMETA_(LOG|ALLOW_PRIVATE_HOSTS|SITES|PLAN_\w+)$/

/** Its password can change too, but not the rest of the URL. */
const DATABASE_URL = 'URLMETA_DATABASE_URL'

export interface Reload {
  /** The names of variables that changed and take effect. */
  changed: string[]
  /** The names of variables that changed and take effect after a restart. */
  needRestart: string[]
  /** The configuration in effect after the reload. */
  next: LoadedConfig
}

/**
 * Compares the configuration in effect with one that was read again. Of the masked secrets, only a change of the password
 * of the database server is detected.
 */
export function prepareReload(inEffect: LoadedConfig, current: LoadedConfig): Reload {
  const { settings } = inEffect
  const valueOf = (all: readonly Setting[], name: string) => {
    const { value, detail } = all.find((one) => one.name === name) ?? {}
    return JSON.stringify([value, detail])
  }
  const names = new Set([...settings, ...current.settings].map(({ name }) => name))
  const changes = [...names].filter((name) => valueOf(settings, name) !== valueOf(current.settings, name)).toSorted()
  const changed = changes.filter((name) => RELOADABLE.test(name))
  const { databaseUrl } = changes.includes(DATABASE_URL) ? inEffect.config : current.config
  if (databaseUrl !== inEffect.config.databaseUrl) changed.push(DATABASE_URL)
  return {
    changed,
    needRestart: changes.filter((name) => !RELOADABLE.test(name)),
    next: {
      config: { ...current.config, databaseUrl },
      settings: settings.map((one) =>
        RELOADABLE.test(one.name) ? (current.settings.find(({ name }) => name === one.name) ?? one) : one,
      ),
    },
  }
}
