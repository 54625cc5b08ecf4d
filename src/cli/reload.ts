import type { LoadedConfig } from '../config.ts'
import type { Variable } from '../config/env-reader.ts'

/** The password in this URL can change too, but not the rest of the URL. */
const DATABASE_URL = 'URLMETA_DATABASE_URL'

/**
 * Compares the configuration in effect with one that was read again. Returns the changed variables that take effect,
 * the changed variables that need a restart, and the configuration after the reload. Of all secrets, only the database
 * password is compared.
 */
export function prepareReload(inEffect: LoadedConfig, current: LoadedConfig) {
  const { variables } = inEffect
  const { liveNames } = current
  const valueOf = (all: readonly Variable[], name: string) => {
    const { value, detail } = all.find((one) => one.name === name) ?? {}
    return JSON.stringify([value, detail])
  }
  const names = new Set([...variables, ...current.variables].map(({ name }) => name))
  const changes = [...names].filter((name) => valueOf(variables, name) !== valueOf(current.variables, name)).toSorted()
  const changed = changes.filter((name) => liveNames.has(name))
  const { database } = changes.includes(DATABASE_URL) ? inEffect.config : current.config
  if (!Bun.deepEquals(database, inEffect.config.database)) changed.push(DATABASE_URL)
  return {
    changed,
    needRestart: changes.filter((name) => !liveNames.has(name)),
    next: {
      liveNames,
      config: { ...current.config, database },
      variables: variables.map((one) =>
        liveNames.has(one.name) ? (current.variables.find(({ name }) => name === one.name) ?? one) : one,
      ),
    },
  }
}
