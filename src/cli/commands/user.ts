import type { Command } from '@commander-js/extra-typings'

import { isoTime } from '../../core/iso-time.ts'
import {
  DEFAULT_PLANS,
  isOwnLimit,
  LIMIT_NAMES,
  limitOptionName,
  LIMITS,
  type Limits,
  limitsOf,
  type OwnLimits,
  PLAN_NAMES,
} from '../../core/plan.ts'
import { userJson } from '../../core/accounts/user-json.ts'
import type { User } from '../../core/accounts/ports.ts'
import { openAccounts } from '../accounts.ts'
import { emailArgument, limitOption, planArgument, settingsIn } from '../arguments.ts'
import { printResult, table, utcText } from '../output.ts'
import type { CommandContext } from '../command.ts'

export function addUserCommands(program: Command, { readConfig }: CommandContext) {
  const user = program.command('user').description('list users, change their plans and limits, create sign-in links')

  user
    .command('list')
    .description('list all users')
    .option('--json', 'print an array')
    .action(async ({ json }) => {
      await using composed = await openAccounts(readConfig())
      const users = await composed.accounts.listUsers()
      const text = table(users.map(userRow)) || 'No users. Create one with `urlmeta key create --email EMAIL`.'
      printResult(json, users.map(listedUser), text)
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
      printResult(json, listedUser(changed), `${changed.email} is now on the ${DEFAULT_PLANS[plan].label} plan.`)
    })

  const setLimits = user
    .command('set-limits')
    .description("print a user's limits, and change those given; a change applies from the next request")
    .argument('<email>', "the user's email address", emailArgument)
  for (const name of LIMIT_NAMES) setLimits.addOption(limitOption(name))
  setLimits.option('--json', 'print the user').action(async (email, { json, ...options }) => {
    const config = readConfig()
    await using composed = await openAccounts(config)
    const changed = await composed.accounts.setLimits(email, settingsIn<OwnLimits>(options))
    printResult(json, listedUser(changed), table(limitRows(limitsOf(config.live, changed))))
  })

  user
    .command('sign-in-link')
    .description('create a link that signs a user in once; it creates the account if there is none')
    .argument('<email>', "the user's email address", emailArgument)
    .option('--json', 'print {"url", "email", "expires_at"}')
    .action(async (email, { json }) => {
      await using composed = await openAccounts(readConfig())
      const { token, expiresAtMs } = await composed.accounts.createSignInLink(email)
      const { signInLink } = await import('../../compose/accounts.ts')
      const url = signInLink(composed.origin, token)
      const text = `Sign-in link for ${email}, valid once, until ${utcText(expiresAtMs)} UTC:\n\n  ${url}`
      printResult(json, { url, email, expires_at: isoTime(expiresAtMs) }, text)
    })
}

function userRow(user: User) {
  const { email, plan, createdAtMs, suspendedAtMs } = user
  const own = LIMIT_NAMES.flatMap((name) => (user[name] === null ? [] : `${limitOptionName(name)} ${user[name]}`))
  const state = suspendedAtMs === null ? 'active' : 'suspended'
  return { email, plan, 'own limits': own.join(', '), created: utcText(createdAtMs), state }
}

const limitRows = (limits: Limits) =>
  LIMIT_NAMES.map((name) => ({
    limit: LIMITS[name].label,
    value: String(limits[name]),
    source: isOwnLimit(limits, name) ? 'own' : `${limits.label} plan`,
  }))

const listedUser = (user: User) => ({ ...userJson(user), suspended_at: isoTime(user.suspendedAtMs) })
