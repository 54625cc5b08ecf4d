import type { Command } from '@commander-js/extra-typings'

import { composeAccounts } from '../compose.ts'
import { DEFAULT_PLANS } from '../core/plan.ts'
import type { User } from '../core/ports.ts'
import { configOf } from './environment.ts'
import { day, print, printJson, table } from './output.ts'
import { planArgument } from './plan.ts'
import type { CommandContext } from './command.ts'

export function addUserCommands(program: Command, { env }: CommandContext) {
  const user = program.command('user').description('list accounts and change their plans')

  user
    .command('list')
    .description('list all accounts')
    .option('--json', 'print an array')
    .action(async ({ json }) => {
      using composed = composeAccounts(configOf(env))
      const users = await composed.accounts.listUsers()
      if (json) printJson(users.map(userJson))
      else
        print(users.length > 0 ? table(users.map(userRow)) : 'No users yet: `urlmeta key create --email E` makes one.')
    })

  user
    .command('set-plan')
    .description("change an account's plan, from its next request on")
    .argument('<email>')
    .argument('<plan>', 'free, starter, growth or business', planArgument)
    .option('--json', 'print the account')
    .action(async (email, plan, { json }) => {
      using composed = composeAccounts(configOf(env))
      const changed = await composed.accounts.setPlan(email, plan)
      if (json) printJson(userJson(changed))
      else print(`${changed.email} is on the ${DEFAULT_PLANS[plan].label} plan now.`)
    })
}

function userRow({ email, plan, createdAtMs }: User) {
  return { email, plan, created: day(createdAtMs) }
}

function userJson({ id, email, plan, createdAtMs }: User) {
  return { id, email, plan, created_at: new Date(createdAtMs).toISOString() }
}
