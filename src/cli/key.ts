import type { Command } from '@commander-js/extra-typings'

import { composeAccounts } from '../compose.ts'
import { type Config, localOrigin } from '../config.ts'
import { maskedKey } from '../core/api-key.ts'
import type { Accounts } from '../service/accounts.ts'
import { configOf } from './environment.ts'
import { planArgument } from './plan.ts'
import type { CommandContext } from './command.ts'
import { day, print, printJson, table } from './output.ts'

export function addKeyCommands(program: Command, { env }: CommandContext) {
  const key = program.command('key').description('make, list and deactivate API keys')

  key
    .command('create')
    .description('make a key, and its user if need be; the key is shown this once')
    .requiredOption('--email <email>', 'whose key it is')
    .option('--name <name>', 'what the key is for', 'default')
    .option('--plan <plan>', 'free, starter, growth or business', planArgument)
    .option('--json', 'print {"key", "id"}')
    .action(async ({ email, name, plan, json }) => {
      const config = configOf(env)
      using composed = composeAccounts(config)
      const created = await composed.accounts.createKey({ email, name, ...(plan && { plan }) })
      if (json) printJson({ key: created.key, id: created.id })
      else print(welcome(created.key, config))
    })

  key
    .command('list')
    .description('list all keys, active and deactivated')
    .option('--json', 'print an array')
    .action(async ({ json }) => {
      using composed = composeAccounts(configOf(env))
      const keys = await composed.accounts.listKeys()
      if (json) printJson(keys.map(keyJson))
      else print(keys.length > 0 ? table(keys.map(keyRow)) : 'No keys yet: `urlmeta key create --email E` makes one.')
    })

  key
    .command('deactivate')
    .description('deactivate a key, for good and at once')
    .argument('<id>', 'as `urlmeta key list` shows it')
    .option('--json', 'print {"id", "state"}')
    .action(async (id, { json }) => {
      using composed = composeAccounts(configOf(env))
      await composed.accounts.deactivateKey(id)
      if (json) printJson({ id, state: 'deactivated' })
      else print(`Deactivated ${id}: the next request with it gets 401.`)
    })
}

type ListedKey = Awaited<ReturnType<Accounts['listKeys']>>[number]

const stateOf = ({ deactivatedAtMs }: ListedKey) => (deactivatedAtMs === null ? 'active' : 'deactivated')

function keyRow(key: ListedKey) {
  return {
    id: key.id,
    key: maskedKey(key.lastFour),
    name: key.name,
    email: key.email,
    created: day(key.createdAtMs),
    'last used': key.lastUsedAtMs === null ? 'never' : day(key.lastUsedAtMs),
    state: stateOf(key),
  }
}

function keyJson(key: ListedKey) {
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  return {
    id: key.id,
    name: key.name,
    email: key.email,
    last_four: key.lastFour,
    state: stateOf(key),
    created_at: iso(key.createdAtMs),
    last_used_at: iso(key.lastUsedAtMs),
    deactivated_at: iso(key.deactivatedAtMs),
  }
}

function welcome(key: string, config: Config): string {
  const origin = config.baseUrl ?? localOrigin(config.port)
  return [
    'Your key, shown this once:',
    '',
    `  ${key}`,
    '',
    'Ask with it:',
    '',
    `  curl -H 'X-API-Key: ${key}' '${origin}/v1/metadata?url=https%3A%2F%2Fexample.com'`,
  ].join('\n')
}
