import type { Command } from '@commander-js/extra-typings'

import { publicOrigin } from '../../config.ts'
import { isoTime } from '../../core/iso-time.ts'
import { DEFAULT_PLANS, PLAN_NAMES } from '../../core/plan.ts'
import type { User } from '../../core/accounts/ports.ts'
import { openAccounts } from '../accounts.ts'
import { emailArgument, planArgument } from '../arguments.ts'
import { printResult, table, utcText } from '../output.ts'
import type { CommandContext } from '../command.ts'

export function addUserCommands(program: Command, { readConfig }: CommandContext) {
  const user = program.command('user').description('list users, change their plans, create sign-in links')

  user
    .command('list')
    .description('list all users')
    .option('--json', 'print an array')
    .action(async ({ json }) => {
      await using composed = await openAccounts(readConfig())
      const users = await composed.accounts.listUsers()
      const text = table(users.map(userRow)) || 'No users. Create one with `urlmeta key create --email EMAIL`.'
      printResult(json, users.map(userJson), text)
    })

  user
    .command('set-plan')
    .description("change a user's plan; it applies from the next request")
    .argument('<email>', "the user's email address", emailArgument)
    .addArgument(user.createArgument('<plan>').choices(PLAN_NAMES).argParser(planArgument))
    .option('--json', 'print the user')
    .action(async (email, plan, { json }) => {
      await using composed = await openAccounts(readConfig())
      const changed = await composed.accounts.setPlan(email, plan)
      printResult(json, userJson(changed), `${changed.email} is now on the ${DEFAULT_PLANS[plan].label} plan.`)
    })

  user
    .command('sign-in-link')
    .description('create a link that signs a user in once; it creates the account if there is none')
    .argument('<email>', "the user's email address", emailArgument)
    .option('--json', 'print {"url", "email", "expires_at"}')
    .action(async (email, { json }) => {
      const config = readConfig()
      await using composed = await openAccounts(config)
      const { token, expiresAtMs } = await composed.accounts.createSignInLink(email)
      const { signInLink } = await import('../../compose/accounts.ts')
      const url = signInLink(publicOrigin(config), token)
      const text = `Sign-in link for ${email}, valid once, until ${utcText(expiresAtMs)} UTC:\n\n  ${url}`
      printResult(json, { url, email, expires_at: isoTime(expiresAtMs) }, text)
    })
}

function userRow({ email, plan, createdAtMs, suspendedAtMs }: User) {
  const state = suspendedAtMs === null ? 'active' : 'suspended'
  return { email, plan, created: utcText(createdAtMs), state }
}

function userJson({ id, email, plan, createdAtMs, suspendedAtMs }: User) {
  return { id, email, plan, created_at: isoTime(createdAtMs), suspended_at: isoTime(suspendedAtMs) }
}
