import type { Command } from '@commander-js/extra-typings'

import { type Config, localOrigin } from '../config.ts'
import { maskedKey } from '../core/api-key.ts'
import type { Accounts } from '../service/accounts.ts'
import { openAccounts, openOrCreateAccounts } from './accounts.ts'
import { emailArgument, keyNameArgument, planOption } from './arguments.ts'
import { configOf } from './environment.ts'
import type { CommandContext } from './command.ts'
import { day, print, printJson, table } from './output.ts'

export function addKeyCommands(program: Command, { env }: CommandContext) {
  const key = program.command('key').description('create, list and deactivate API keys')

  key
    .command('create')
    .description('create an API key, and its user if there is none; the key is printed once')
    .requiredOption('--email <email>', "the user's email address", emailArgument)
    .option('--name <name>', 'what the key is for', keyNameArgument, 'default')
    .addOption(planOption("the user's plan (default: free for a new user)"))
    .option('--json', 'print {"key", "id"}')
    .action(async ({ email, name, plan, json }) => {
      const config = configOf(env)
      await using composed = await openOrCreateAccounts(config)
      const created = await composed.accounts.createKey({ email, name, ...(plan && { plan }) })
      if (json) printJson({ key: created.key, id: created.id })
      else print(createdText(created.key, config))
    })

  key
    .command('list')
    .description('list all keys, active and deactivated')
    .option('--json', 'print an array')
    .action(async ({ json }) => {
      await using composed = await openAccounts(configOf(env))
      const keys = await composed.accounts.listKeys()
      if (json) printJson(keys.map(keyJson))
      else
        print(
          keys.length > 0 ? table(keys.map(keyRow)) : 'No keys. Create one with `urlmeta key create --email EMAIL`.',
        )
    })

  key
    .command('deactivate')
    .description('deactivate a key immediately; this cannot be undone')
    .argument('<id>', 'as printed by `urlmeta key list`')
    .option('--json', 'print {"id", "state"}')
    .action(async (id, { json }) => {
      await using composed = await openAccounts(configOf(env))
      await composed.accounts.deactivateKey(id)
      if (json) printJson({ id, state: 'deactivated' })
      else print(`Deactivated ${id}. Requests with this key are now rejected with 401.`)
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

function createdText(key: string, config: Config): string {
  const origin = config.baseUrl ?? localOrigin(config.port)
  return [
    'API key (it is not shown again):',
    '',
    `  ${key}`,
    '',
    'Make a request:',
    '',
    `  curl -H 'X-API-Key: ${key}' '${origin}/v1/metadata?url=https%3A%2F%2Fexample.com'`,
  ].join('\n')
}
