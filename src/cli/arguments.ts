import { InvalidArgumentError, Option } from '@commander-js/extra-typings'

import { parseEmail } from '../core/accounts/email.ts'
import { AppError } from '../core/errors.ts'
import { extraRule, PAGE_EXTRA_NAMES, parseExtraNames } from '../core/extract/fields/extra.ts'
import { ACCEPT_LANGUAGE_RULE, parseAcceptLanguage } from '../core/net/language.ts'
import { EXPECTED_ORIGIN, parseWebOrigin } from '../core/net/web-origin.ts'
import { parseHttpUrl, type Target } from '../core/net/url.ts'
import { FETCH_TIMEOUT_RULE, parseFetchTimeout, parseWholeNumber } from '../core/limits.ts'
import { MAX_LOGGED_OF_USER } from '../core/usage/request-log.ts'
import { OVERLAPS } from '../core/accounts/key-expiry.ts'
import { KEY_SETTINGS, type KeySetting, type KeySettings } from '../core/accounts/key-settings.ts'
import {
  type LimitName,
  limitOptionName,
  LIMITS,
  type OwnLimits,
  parseOwnLimit,
  parsePlanName,
  PLAN_NAMES,
} from '../core/plan.ts'
import { withScheme } from './urls.ts'

// Parsers of arguments and option values. Each throws InvalidArgumentError, which Commander reports with the name of
// the argument, before the command opens or creates anything.

/** A parser that rejects text for which `parse` returns null. */
const parserOf =
  <Value>(parse: (text: string) => Value | null, message: string) =>
  (text: string): Value => {
    const value = parse(text)
    if (value === null) throw new InvalidArgumentError(message)
    return value
  }

export const planArgument = parserOf(parsePlanName, `Plans are ${PLAN_NAMES.join(', ')}.`)

export const emailArgument = parserOf(parseEmail, 'Not an email address.')

export const languageArgument = parserOf(parseAcceptLanguage, `Must be ${ACCEPT_LANGUAGE_RULE}.`)

export const timeoutArgument = parserOf(parseFetchTimeout, `Must be ${FETCH_TIMEOUT_RULE}.`)

export const fieldsArgument = parserOf(
  (text) => parseExtraNames(text, PAGE_EXTRA_NAMES),
  `Must be ${extraRule(PAGE_EXTRA_NAMES)}.`,
)

export const originArgument = parserOf(parseWebOrigin, `Must be ${EXPECTED_ORIGIN}.`)

export const problemsArgument = parserOf(
  (text) => parseWholeNumber(text, 0, Number.MAX_SAFE_INTEGER),
  'Must be a whole number.',
)

export const fileArgument = parserOf((text) => text || null, 'Must be the path of a file, or - for standard input.')

export const logLimitArgument = parserOf(
  (text) => parseWholeNumber(text, 1, MAX_LOGGED_OF_USER),
  `Must be a whole number from 1 to ${MAX_LOGGED_OF_USER}.`,
)

/** `--plan`. The choices are for the help and for completion; the parser ignores case. */
export function planOption(description: string) {
  return new Option('--plan <plan>', description).choices(PLAN_NAMES).argParser(planArgument)
}

/** The option for a user's own limit: `--per-minute <number>`; `plan` or '' removes it. */
export function limitOption(name: LimitName) {
  const help = `${LIMITS[name].label}; plan for the limit of the plan`
  return new Option(`--${limitOptionName(name)} <number>`, help).argParser((text): Partial<OwnLimits> => {
    const { value, error } = parseOwnLimit(name, text)
    if (error !== '') throw new InvalidArgumentError(`${error}.`)
    return { [name]: value }
  })
}

/** Combines the settings that were given as options. The value of each option is an object with one setting. */
export const settingsIn = <Settings extends object>(options: object): Partial<Settings> =>
  Object.assign({}, ...Object.values(options))

/** The option for a setting of a key: `--expires <date>`. A word such as `never` removes the setting; '' is an error. */
export function keySettingOption<Name extends keyof KeySettings>(name: Name) {
  const { field, argument, help, none, parse, format }: KeySetting<KeySettings[Name]> = KEY_SETTINGS[name]
  return new Option(`--${field} <${argument}>`, help).argParser((text): Partial<KeySettings> => {
    const removesSetting = text === none?.word
    try {
      const value = parse(removesSetting ? '' : text, Date.now())
      if (none !== null && !removesSetting && format(value) === '') throw new AppError('invalid_request', none.error)
      // An object, because Commander replaces null with ''.
      return { [name]: value }
    } catch (error) {
      if (error instanceof AppError) throw new InvalidArgumentError(`${error.message}.`)
      throw error
    }
  })
}

export function overlapOption() {
  return new Option('--overlap <time>', 'how long the old key keeps working')
    .choices(OVERLAPS.map(({ name }) => name))
    .default('24h')
}

/** The cache key of a page: its normalized URL without the fragment. */
export const pageArgument = (text: string): string => targetOf(text).cacheKey

export const sitemapArgument = (text: string): URL => targetOf(withScheme(text)).url

/** @throws InvalidArgumentError */
function targetOf(text: string): Target {
  const target = parseHttpUrl(text)
  if ('reason' in target) throw new InvalidArgumentError(`${target.reason[0]!.toUpperCase()}${target.reason.slice(1)}.`)
  return target
}
