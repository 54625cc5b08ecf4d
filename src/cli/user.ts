import type { Command } from '@commander-js/extra-typings'

import { composeAccounts, signInLink } from '../compose.ts'
import { localOrigin } from '../config.ts'
import { DEFAULT_PLANS } from '../core/plan.ts'
import type { User } from '../core/account-ports.ts'
import { configOf } from './environment.ts'
import { day, print, printJson, table } from './output.ts'
import { planArgument } from './plan.ts'
import type { CommandContext } from './command.ts'

export function addUserCommands(program: Command, { env }: CommandContext) {
  const user = program.command('user').description('list accounts, change their plans, let people sign in')

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

  user
    .command('sign-in-link')
    .description('make a link that signs somebody in, once, and makes their account if need be')
    .argument('<email>')
    .option('--json', 'print {"url", "email", "expires_at"}')
    .action(async (text, { json }) => {
      const config = configOf(env)
      using composed = composeAccounts(config)
      const { email, token, expiresAtMs } = await composed.accounts.createSignInLink(text)
      const url = signInLink(config.baseUrl ?? localOrigin(config.port), token)
      if (json) printJson({ url, email, expires_at: new Date(expiresAtMs).toISOString() })
      else print(`Signs ${email} in, once, until ${day(expiresAtMs)} UTC:\n\n  ${url}`)
    })
}

function userRow({ email, plan, createdAtMs, suspendedAtMs }: User) {
  const state = suspendedAtMs === null ? 'active' : 'suspended'
  return { email, plan, created: day(createdAtMs), state }
}

function userJson({ id, email, plan, createdAtMs, suspendedAtMs }: User) {
  const iso = (ms: number) => new Date(ms).toISOString()
  return {
    id,
    email,
    plan,
    created_at: iso(createdAtMs),
    suspended_at: suspendedAtMs === null ? null : iso(suspendedAtMs),
  }
}
