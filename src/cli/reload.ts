import type { LoadedConfig } from '../compose/live-config.ts'
import type { Setting } from '../config/env-reader.ts'

/** The variables that can change while the server runs; all others are only read when it starts. */
const RELOADABLE = /^URLMETA_(LOG|ALLOW_PRIVATE_HOSTS|SITES|PLAN_\w+)$/

/** Its password can change too, but not the rest of the URL. */
const DATABASE_URL = 'URLMETA_DATABASE_URL'

/**
 * Compares the configuration in effect with one that was read again: the variables that changed and take effect, those
 * that need a restart, and what is in effect after the reload. Of secrets, only the database password is compared.
 */
export function prepareReload(inEffect: LoadedConfig, current: LoadedConfig) {
  const { settings } = inEffect
  const valueOf = (all: readonly Setting[], name: string) => {
    const { value, detail } = all.find((one) => one.name === name) ?? {}
    return JSON.stringify([value, detail])
  }
  const names = new Set([...settings, ...current.settings].map(({ name }) => name))
  const changes = [...names].filter((name) => valueOf(settings, name) !== valueOf(current.settings, name)).toSorted()
  const changed = changes.filter((name) => RELOADABLE.test(name))
  const { database } = changes.includes(DATABASE_URL) ? inEffect.config : current.config
  if (!Bun.deepEquals(database, inEffect.config.database)) changed.push(DATABASE_URL)
  return {
    changed,
    needRestart: changes.filter((name) => !RELOADABLE.test(name)),
    next: {
      config: { ...current.config, database },
      settings: settings.map((one) =>
        RELOADABLE.test(one.name) ? (current.settings.find(({ name }) => name === one.name) ?? one) : one,
      ),
    },
  }
}
