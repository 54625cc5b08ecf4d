import { InvalidArgumentError, Option } from '@commander-js/extra-typings'

import { parseEmail } from '../core/email.ts'
import { AppError } from '../core/errors.ts'
import { parseFetchTimeout } from '../core/fetch-timeout.ts'
import { parseKeyName } from '../core/key-name.ts'
import { FETCH_TIMEOUT_MS } from '../core/limits.ts'
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

export function keyNameArgument(text: string): string {
  try {
    return parseKeyName(text)
  } catch (error) {
    if (error instanceof AppError) throw new InvalidArgumentError(`${error.message}.`)
    throw error
  }
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
