import { asciiLowerCase } from '../ascii-case.ts'

/** The longest address that SMTP can carry (RFC 5321, section 4.5.3.1.3, less the angle brackets). */
export const MAX_EMAIL_CHARACTERS = 254

/**
 * The form that HTML's email inputs accept, with at least one dot in the domain (WHATWG HTML, valid e-mail address).
 * Without the flag `u`, the flag `i` never matches an ASCII letter with another character.
 */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i

/** Parses an address typed by a person into its stored form (trimmed, lower case); null when it is not an address. */
export const parseEmail = (text: string): string | null => parseExactEmail(text.trim())

/** Parses an address from an identity provider: not trimmed, because the trimmed address may be another person's. */
export function parseExactEmail(email: string): string | null {
  return email.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(email) ? asciiLowerCase(email) : null
}
