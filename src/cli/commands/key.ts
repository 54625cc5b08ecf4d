import type { Command } from '@commander-js/extra-typings'

import { maskedKey } from '../../core/accounts/api-key.ts'
import { PLAN_OF_NEW_OPERATORS, PLAN_OF_NEW_USERS } from '../../core/plan.ts'
import { isoTime } from '../../core/iso-time.ts'
import { keyJson } from '../../core/accounts/key-json.ts'
import { endOf } from '../../core/accounts/key-end.ts'
import { expiryDayOf, parseOverlap } from '../../core/accounts/key-expiry.ts'
import { KEY_SETTING_NAMES, KEY_SETTINGS, type KeySettings } from '../../core/accounts/key-settings.ts'
import type { CommandLineAccounts } from '../../service/accounts/command-line-accounts.ts'
import { openAccounts, openOrCreateAccounts } from '../accounts.ts'
import { emailArgument, keySettingOption, overlapOption, planOption, settingsIn } from '../arguments.ts'
import type { CommandContext } from '../command.ts'
import { printResult, table, utcText } from '../output.ts'

export function addKeyCommands(program: Command, { readConfig }: CommandContext) {
  const key = program.command('key').description('create, list, change, rotate and deactivate API keys')

  const create = key
    .command('create')
    .description('create an API key, and its user if there is none; the key is printed once')
    .requiredOption('--email <email>', "the user's email address", emailArgument)
  // Not chained, because an option whose name the compiler does not know would make all other options untyped.
  create.addOption(keySettingOption('name').default({ name: 'default' }, '"default"'))
  const createOnPlan = create.addOption(
    planOption(
      `the user's plan (default: ${PLAN_OF_NEW_USERS} for a new user, ${PLAN_OF_NEW_OPERATORS} for a new operator)`,
    ),
  )
  for (const name of KEY_SETTING_NAMES) if (name !== 'name') create.addOption(keySettingOption(name))
  createOnPlan.option('--json', 'print {"key", "id"}').action(async ({ email, plan, json, ...options }) => {
    await using composed = await openOrCreateAccounts(readConfig())
    const settings = settingsIn<KeySettings>(options)
    const created = await composed.accounts.createKey({ email, ...settings, ...(plan && { plan }) })
    const text = createdText(created.key, composed.origin, settings.allowedOrigins?.[0])
    printResult(json, { key: created.key, id: created.id }, text)
  })

  key
    .command('list')
    .description('list all keys, including expired and deactivated ones')
    .option('--json', 'print an array')
    .action(async ({ json }) => {
      await using composed = await openAccounts(readConfig())
      const keys = await composed.accounts.listKeys()
      const text = table(keys.map(keyRow)) || 'No keys. Create one with `urlmeta key create --email EMAIL`.'
      printResult(json, keys.map(listedKeyJson), text)
    })

  const update = key
    .command('update')
    .description('change a key; applies from the next request')
    .argument('<id>', 'as printed by `urlmeta key list`')
  for (const name of KEY_SETTING_NAMES) update.addOption(keySettingOption(name))
  update.option('--json', 'print {"id"}').action(async (id, { json, ...options }, command) => {
    const settings = settingsIn<KeySettings>(options)
    if (Object.keys(settings).length === 0) {
      const flags = KEY_SETTING_NAMES.map((name) => `--${KEY_SETTINGS[name].field}`)
      const choices = `${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`
      command.error(`error: nothing to change: use ${choices}`)
    }
    await using composed = await openAccounts(readConfig())
    await composed.accounts.updateKey(id, settings)
    printResult(json, { id }, `Changed ${id}.`)
  })

  key
    .command('rotate')
    .description('replace a key with a new one that has the same settings; the new key is printed once')
    .argument('<id>', 'as printed by `urlmeta key list`')
    .addOption(overlapOption())
    .option('--json', 'print {"key", "id", "previous_ends_at"}')
    .action(async (id, { overlap, json }) => {
      await using composed = await openAccounts(readConfig())
      const rotated = await composed.accounts.rotateKey(id, parseOverlap(overlap) ?? 0)
      const { key: successor, id: successorId, previousEndsAtMs, allowedOrigins } = rotated
      const hasEnded = previousEndsAtMs <= Date.now()
      const end = hasEnded ? 'no longer works' : `works until ${utcText(previousEndsAtMs)} UTC`
      const text = `${createdText(successor, composed.origin, allowedOrigins[0])}\n\nThe old key ${end}.`
      printResult(json, { key: successor, id: successorId, previous_ends_at: isoTime(previousEndsAtMs) }, text)
    })

  key
    .command('deactivate')
    .description('deactivate a key immediately; this cannot be undone')
    .argument('<id>', 'as printed by `urlmeta key list`')
    .option('--json', 'print {"id", "state"}')
    .action(async (id, { json }) => {
      await using composed = await openAccounts(readConfig())
      await composed.accounts.deactivateKey(id)
      const text = `Deactivated ${id}. Requests with this key are now rejected with 401.`
      printResult(json, { id, state: 'deactivated' }, text)
    })
}

type ListedKey = Awaited<ReturnType<CommandLineAccounts['listKeys']>>[number]

/** `active`, or why the key no longer works: `expired`, `rotated` or `deactivated`. */
const stateOf = (key: ListedKey) => endOf(key, Date.now())?.end ?? 'active'

function keyRow(key: ListedKey) {
  return {
    id: key.id,
    key: maskedKey(key.lastFour),
    name: key.name,
    email: key.email,
    created: utcText(key.createdAtMs),
    'last used': key.lastUsedAtMs === null ? 'never' : utcText(key.lastUsedAtMs),
    expires: expiryDayOf(key.expiresAtMs) || 'never',
    state: stateOf(key),
  }
}

function listedKeyJson(key: ListedKey) {
  const { id, name, last_four, ...rest } = keyJson(key)
  return { id, name, email: key.email, last_four, state: stateOf(key), ...rest }
}

/**
 * @param origin the public origin of the server
 * @param pageOrigin the origin of a page that may use the key; a key without origins works from anywhere
 */
function createdText(key: string, origin: string, pageOrigin?: string): string {
  return [
    'API key (it is not shown again):',
    '',
    `  ${key}`,
    '',
    'Make a request:',
    '',
    `  curl -H 'X-API-Key: ${key}'${pageOrigin ? ` -H 'Origin: ${pageOrigin}'` : ''} '${origin}/v1/metadata?url=https%3A%2F%2Fexample.com'`,
  ].join('\n')
}
