import { expect, test } from 'bun:test'

import { parseEmail } from '../../src/core/email.ts'

test.each([
  ['you@example.com', 'you@example.com'],
  ['  You+Tag@Example.COM ', 'you+tag@example.com'],
  [`${'a'.repeat(242)}@example.com`, `${'a'.repeat(242)}@example.com`],
  [`${'a'.repeat(243)}@example.com`, null],
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
