import { isAbsolute } from 'node:path'

import { asciiLowerCase } from '../core/ascii-case.ts'
import { parseEmail } from '../core/email.ts'
import { displayNameOf } from '../core/key-name.ts'

/** A value, or what is wrong with its text: the rest of a sentence that begins with the variable's name. */
export type Parsed<T> = { value: T } | { fault: string }

/** Makes a value of the text an operator wrote; white space and quotes around it are gone already. */
export type Parse<T> = (text: string) => Parsed<T>

/** Long enough to recognize any value by, short enough to keep the message on a screen. */
const ECHO_MAX_CHARS = 120

/** The fault every parser reports: `expected 0 to 65535, got "abc"`. */
export function expected(what: string, text: string): { fault: string } {
  // user:password@ in a URL is a secret wherever it was pasted.
  const shown = text.replace(/[^/?#\s,]*:[^/?#\s,]*@/g, '••••@')
  return { fault: `expected ${what}, got ${JSON.stringify(shown.slice(0, ECHO_MAX_CHARS))}` }
}

/** A whole number in decimal digits, both borders included. */
export function wholeNumber(min: number, max: number): Parse<number> {
  return (text) => {
    const value = Number(text)
    return /^\d+$/.test(text) && value >= min && value <= max ? { value } : expected(`${min} to ${max}`, text)
  }
}

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `90s`, `30m`, `24h` or `7d` → milliseconds; the borders are written the same way and are included. */
export function duration(min: string, max: string): Parse<number> {
  return (text) => {
    const value = milliseconds(text)
    return value >= milliseconds(min) && value <= milliseconds(max)
      ? { value }
      : expected(`${min} to ${max}, written like 90s, 30m, 24h or 7d`, text)
  }
}

/** NaN, which no border lets in, when the text is not a duration. */
function milliseconds(text: string): number {
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? []
  return Number(count) * (UNIT_MS[unit] ?? Number.NaN)
}

/** One of a few words, in any case. */
export function oneOf<const W extends string>(words: readonly W[]): Parse<W> {
  return (text) => {
    const value = words.find((word) => word === asciiLowerCase(text))
    return value === undefined ? expected(words.join(', '), text) : { value }
  }
}

/** A comma list; white space around items and empty items are forgiven. Every wrong item is reported. */
export function listOf<T>(item: Parse<T>): Parse<readonly T[]> {
  return (text) => {
    const items = text.split(',').map((part) => part.trim())
    const parsed = items.filter((part) => part !== '').map(item)
    if (parsed.length === 0) return expected('a comma list', text)
    const faults = parsed.flatMap((result) => ('fault' in result ? [result.fault] : []))
    return faults.length > 0
      ? { fault: faults.join('; ') }
      : { value: parsed.flatMap((result) => ('value' in result ? [result.value] : [])) }
  }
}

/** A button's text; longer ones break its line. */
const LABEL_MAX_CHARS = 40

/** What a button says: text that can be seen, in any script. */
export const label: Parse<string> = (text) =>
  displayNameOf(text) === text && text.length <= LABEL_MAX_CHARS
    ? { value: text }
    : expected(`at most ${LABEL_MAX_CHARS} visible characters`, text)

/** An identifier that another party issued: a client id. */
export const identifier: Parse<string> = (text) =>
  /^[\x21-\x7e]+$/.test(text) ? { value: text } : expected('visible ASCII characters without spaces', text)

/** A client secret or token; its fault never repeats it. */
export const secret: Parse<string> = (text) =>
  /^[\x21-\x7e]+$/.test(text)
    ? { value: text }
    : { fault: 'expected visible ASCII characters without spaces (value not shown)' }

/** Sites log and match user agents; past this length some servers answer 400. */
const USER_AGENT_MAX_CHARS = 512

/** What RFC 9110 lets any header carry without doubt: printable ASCII. */
export const userAgent: Parse<string> = (text) =>
  /^[\x20-\x7e]+$/.test(text) && text.length <= USER_AGENT_MAX_CHARS
    ? { value: text }
    : expected(`at most ${USER_AGENT_MAX_CHARS} printable ASCII characters`, text)

/** An address in the form in which accounts are stored. */
export const emailAddress: Parse<string> = (text) => {
  const value = parseEmail(text)
  return value === null ? expected('an email address', text) : { value }
}

/** A path as written: a relative one is meant from the working directory. */
export const path: Parse<string> = (text) =>
  // Only shells know `~`; a .env file or a service unit would make a folder of that name.
  text.startsWith('~') ? expected('a path without ~, which only a shell expands', text) : { value: text }

/** Where a Chromium comes from. */
export type ChromiumChoice = { from: 'search' } | { from: 'nowhere' } | { from: 'path'; path: string }

/** `auto`, `off`, or a path. A bare word is none of them: `none` or `false` must not pass for a file's name. */
export const chromium: Parse<ChromiumChoice> = (text) => {
  const word = asciiLowerCase(text)
  if (word === 'auto') return { value: { from: 'search' } }
  if (word === 'off') return { value: { from: 'nowhere' } }
  if (!isAbsolute(text) && !/[/\\]/.test(text)) return expected('auto, off or a path such as /usr/bin/chromium', text)
  const file = path(text)
  return 'fault' in file ? file : { value: { from: 'path', path: file.value } }
}
