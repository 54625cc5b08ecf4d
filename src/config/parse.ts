import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/duration.ts'
import { asciiLowerCase } from '../core/ascii-case.ts'
import { parseEmail } from '../core/accounts/email.ts'
import { displayNameOf } from '../core/accounts/key-name.ts'
import { parseWholeNumber } from '../core/limits.ts'
import { ACCEPT_LANGUAGE_RULE, parseAcceptLanguage } from '../core/net/language.ts'

/** The parsed value, or the error message, such as `expected 0 to 65535, got "abc"`. */
export type Parsed<T> = { value: T } | { error: string }

/** Parses the text of a variable, without surrounding white space and quotes. */
export type Parse<T> = (text: string) => Parsed<T>

/** Longer values are truncated in messages. */
const ECHO_MAX_CHARS = 120

/** The error message of the parsers: `expected 0 to 65535, got "abc"`. */
export function expected(description: string, text: string): { error: string } {
  // A URL may contain user:password@, which must not be displayed.
  const masked = text.replace(/[^/?#\s,]*:[^/?#\s,]*@/g, '••••@')
  return { error: `expected ${description}, got ${JSON.stringify(masked.slice(0, ECHO_MAX_CHARS))}` }
}

const parserWith =
  (errorOf: typeof expected) =>
  <T extends {}>(parse: (text: string) => T | null, description: string): Parse<T> =>
  (text) => {
    const value = parse(text)
    return value === null ? errorOf(description, text) : { value }
  }

/** Makes a parser of a function that returns null for invalid text. */
export const parsedBy = parserWith(expected)

/** Like `parsedBy`, for a value that may contain a password or a token: the error message does not include the value. */
export const secretBy = parserWith((description) => ({ error: `expected ${description} (value not shown)` }))

/** A decimal integer between the inclusive bounds. */
export function wholeNumber(min: number, max: number): Parse<number> {
  return parsedBy((text) => parseWholeNumber(text, min, max), `${min} to ${max}`)
}

const UNIT_MS: Record<string, number> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** `90s`, `30m`, `24h` or `7d` → milliseconds. The bounds are inclusive and in the same format. */
export const duration = (min: string, max: string): Parse<number> =>
  parsedBy((text) => {
    const value = milliseconds(text)
    return value >= milliseconds(min) && value <= milliseconds(max) ? value : null
  }, `${min} to ${max}, written like 90s, 30m, 24h or 7d`)

/** NaN, which is outside any bounds, when the text is not a duration. */
function milliseconds(text: string): number {
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? []
  return Number(count) * (UNIT_MS[unit] ?? Number.NaN)
}

/** One of the given words, in any case. */
export function oneOf<const W extends string>(words: readonly W[]): Parse<W> {
  return parsedBy((text) => words.find((word) => word === asciiLowerCase(text)) ?? null, words.join(', '))
}

export const onOff: Parse<boolean> = (text) => {
  const word = oneOf(['on', 'off'])(text)
  return 'error' in word ? word : { value: word.value === 'on' }
}

/** A comma-separated list. White space around items and empty items are ignored. Every invalid item is reported. */
export function listOf<T>(item: Parse<T>): Parse<readonly T[]> {
  return (text) => {
    const items = text.split(',').map((part) => part.trim())
    const parsed = items.filter((part) => part !== '').map(item)
    if (parsed.length === 0) return expected('a comma-separated list', text)
    const errors = parsed.flatMap((result) => ('error' in result ? [result.error] : []))
    return errors.length > 0
      ? { error: errors.join('; ') }
      : { value: parsed.flatMap((result) => ('value' in result ? [result.value] : [])) }
  }
}

/** Longer labels do not fit on one line of a button. */
const LABEL_MAX_CHARS = 40

/** The text of a button: visible characters of any script. */
export const label: Parse<string> = (text) =>
  displayNameOf(text) === text && text.length <= LABEL_MAX_CHARS
    ? { value: text }
    : expected(`at most ${LABEL_MAX_CHARS} visible characters`, text)

const visibleAscii = (text: string) => (/^[\x21-\x7e]+$/.test(text) ? text : null)
const VISIBLE_ASCII = 'visible ASCII characters without spaces'

/** An identifier issued by another party, such as a client id. */
export const identifier = parsedBy(visibleAscii, VISIBLE_ASCII)

/** A client secret or token. */
export const secret = secretBy(visibleAscii, VISIBLE_ASCII)

/** The length of 128 random bits in hex. */
const MIN_SECRET_CHARS = 32

/** A secret of this service, which must not be guessable. */
export const sharedSecret: Parse<string> = (text) =>
  text.length >= MIN_SECRET_CHARS
    ? secret(text)
    : { error: `expected at least ${MIN_SECRET_CHARS} characters, such as from openssl rand -hex 32 (value not shown)` }

/** Some servers respond 400 to longer User-Agents. */
const USER_AGENT_MAX_CHARS = 512

/** Printable ASCII, which RFC 9110 allows in every header. */
export const userAgent: Parse<string> = (text) =>
  /^[\x20-\x7e]+$/.test(text) && text.length <= USER_AGENT_MAX_CHARS
    ? { value: text }
    : expected(`at most ${USER_AGENT_MAX_CHARS} printable ASCII characters`, text)

export const acceptLanguage = parsedBy(parseAcceptLanguage, ACCEPT_LANGUAGE_RULE)

/** An email address in the form that is stored. */
export const emailAddress = parsedBy(parseEmail, 'an email address')

/** A path as written; relative paths refer to the working directory. */
export const path: Parse<string> = (text) =>
  // Only shells expand `~`; in a .env file or a service unit it would name a directory.
  text.startsWith('~') ? expected('a path without ~, which only a shell expands', text) : { value: text }
