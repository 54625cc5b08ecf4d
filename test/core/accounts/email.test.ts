import { expect, test } from 'bun:test'

import { parseEmail, parseExactEmail } from '../../../src/core/accounts/email.ts'

test.each([
  ['you@example.com', 'you@example.com'],
  ['  You+Tag@Example.COM ', 'you+tag@example.com'],
  [`${'a'.repeat(242)}@example.com`, `${'a'.repeat(242)}@example.com`],
  [`${'a'.repeat(243)}@example.com`, null],
  // U+212A, the Kelvin sign: `toLowerCase` turns it into an ASCII k.
  ['\u212Aim@example.com', null],
  ['kim@ban\u212A.example', null],
  ['kim@example.\u212A', null],
  // U+017F, the long s, whose upper case is an ASCII S.
  ['\u017Fam@example.com', null],
  ['KIM@EXAMPLE.COM', 'kim@example.com'],
  ['you@localhost', null],
  ['you@-example.com', null],
  ['you@example..com', null],
  ['you', null],
  ['@example.com', null],
  ['you@@example.com', null],
  ['you me@example.com', null],
  ['you@example.com\nbcc: x@example.com', null],
  ['', null],
])('%j → %j', (text, expected) => expect(parseEmail(text)).toBe(expected))

test.each([
  ['Jo@example.com', 'jo@example.com'],
  [' jo@example.com', null],
  ['jo@example.com\n', null],
  ['\u00A0jo@example.com', null],
  ['\uFEFFjo@example.com', null],
])('a provider’s %j → %j', (text, expected) => expect(parseExactEmail(text)).toBe(expected))
