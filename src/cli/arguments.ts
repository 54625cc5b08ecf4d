import { InvalidArgumentError, Option } from '@commander-js/extra-typings'

import { parseEmail } from '../core/accounts/email.ts'
import { AppError } from '../core/errors.ts'
import { parseFetchTimeout, FETCH_TIMEOUT_MS } from '../core/limits.ts'
import { parseKeyName } from '../core/accounts/key-name.ts'
import {
  type KeySettings,
  OVERLAPS,
  parseAllowedAddresses,
  parseAllowedHosts,
  parseExpiryDay,
} from '../core/accounts/key-settings.ts'
import { parsePlanName, PLAN_NAMES, type PlanName } from '../core/plan.ts'

// Parsers of arguments and option values. Each throws InvalidArgumentError, which Commander reports with the name of
// the argument: a mistake is found before a command opens or creates anything.

export function planArgument(text: string): PlanName {
  const plan = parsePlanName(text)
  if (!plan) throw new InvalidArgumentError(`Plans are ${PLAN_NAMES.join(', ')}.`)
  return plan
}

/** `--plan`. The choices are for the help and for completion; the parser also accepts other cases. */
export function planOption(description: string) {
  return new Option('--plan <plan>', description).choices(PLAN_NAMES).argParser(planArgument)
}

export function emailArgument(text: string): string {
  const email = parseEmail(text)
  if (email === null) throw new InvalidArgumentError('Not an email address.')
  return email
}

export const keyNameArgument = (text: string): string => parsedBy(parseKeyName, text)

/** A date, or `never`. */
export const expiryArgument = (text: string): Pick<KeySettings, 'expiresAtMs'> => ({
  // An object, because Commander replaces null by ''.
  expiresAtMs: text === 'never' ? null : parsedBy((day) => parseExpiryDay(day, Date.now()), text || '(none)'),
})

/** A comma-separated list of hosts, or `any`. */
export const hostsArgument = (text: string): string[] =>
  text === 'any' ? [] : parsedBy(listOf(parseAllowedHosts), text)

/** A comma-separated list of addresses and ranges, or `any`. */
export const addressesArgument = (text: string): string[] =>
  text === 'any' ? [] : parsedBy(listOf(parseAllowedAddresses), text)

/** An empty list would remove the restriction, which must be said by `any`. */
const listOf = (parse: (text: string) => string[]) => (text: string) => {
  const entries = parse(text)
  if (entries.length === 0) throw new AppError('invalid_request', 'Must not be empty; use any for no restriction')
  return entries
}

function parsedBy<Value>(parse: (text: string) => Value, text: string): Value {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof AppError) throw new InvalidArgumentError(`${error.message}.`)
    throw error
  }
}

/** `--overlap`. */
export function overlapOption() {
  return new Option('--overlap <time>', 'how long the old key keeps working')
    .choices(OVERLAPS.map(({ name }) => name))
    .default('24h')
}

export function fileArgument(text: string): string {
  if (text === '') throw new InvalidArgumentError('Must be the path of a file, or - for standard input.')
  return text
}

export function timeoutArgument(text: string): number {
  const timeoutMs = parseFetchTimeout(text)
  if (timeoutMs !== null) return timeoutMs
  const { minimum, maximum } = FETCH_TIMEOUT_MS
  throw new InvalidArgumentError(`Must be an integer from ${minimum} to ${maximum}.`)
}
