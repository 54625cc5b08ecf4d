import { InvalidArgumentError, Option } from '@commander-js/extra-typings'

import { parseEmail } from '../core/accounts/email.ts'
import { AppError } from '../core/errors.ts'
import { extraRule, PAGE_EXTRA_NAMES, parseExtraNames } from '../core/extract/fields/extra.ts'
import { ACCEPT_LANGUAGE_RULE, parseAcceptLanguage } from '../core/net/language.ts'
import { parseHttpUrl } from '../core/net/url.ts'
import { FETCH_TIMEOUT_RULE, parseFetchTimeout } from '../core/limits.ts'
import { OVERLAPS } from '../core/accounts/key-expiry.ts'
import { KEY_SETTINGS, type KeySetting, type KeySettings } from '../core/accounts/key-settings.ts'
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

/** The option for a setting of a key: `--expires <date>`. A word such as `never` removes the setting; '' is an error. */
export function keySettingOption<Name extends keyof KeySettings>(name: Name) {
  const { field, argument, help, none, parse, format }: KeySetting<KeySettings[Name]> = KEY_SETTINGS[name]
  return new Option(`--${field} <${argument}>`, help).argParser((text): Partial<KeySettings> => {
    const removesSetting = text === none?.word
    try {
      const value = parse(removesSetting ? '' : text, Date.now())
      if (none !== null && !removesSetting && format(value) === '') throw new AppError('invalid_request', none.error)
      // An object, because Commander replaces null by ''.
      return { [name]: value }
    } catch (error) {
      if (error instanceof AppError) throw new InvalidArgumentError(`${error.message}.`)
      throw error
    }
  })
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

export function languageArgument(text: string): string {
  const language = parseAcceptLanguage(text)
  if (language === null) throw new InvalidArgumentError(`Must be ${ACCEPT_LANGUAGE_RULE}.`)
  return language
}

/** The URL of a page as the cache has it: normalized, without its fragment. */
export function pageArgument(text: string): string {
  const target = parseHttpUrl(text)
  if ('reason' in target) throw new InvalidArgumentError(`${target.reason[0]!.toUpperCase()}${target.reason.slice(1)}.`)
  return target.cacheKey
}

export function fieldsArgument(text: string) {
  const names = parseExtraNames(text, PAGE_EXTRA_NAMES)
  if (names === null) throw new InvalidArgumentError(`Must be ${extraRule(PAGE_EXTRA_NAMES)}.`)
  return names
}

export function timeoutArgument(text: string): number {
  const timeoutMs = parseFetchTimeout(text)
  if (timeoutMs !== null) return timeoutMs
  throw new InvalidArgumentError(`Must be ${FETCH_TIMEOUT_RULE}.`)
}
