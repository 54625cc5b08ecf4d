import { expect, test } from 'bun:test'

import { displayNameOf, parseKeyName } from '../../../src/core/accounts/key-name.ts'

test.each(['é', '日本', '🤖', '👩‍💻 laptop', 'میزبان', '<b>', '-'])('a key can have the name %s', (name) =>
  expect(parseKeyName(` ${name} `)).toBe(name),
)

const LENGTH = "A key's name must have 1 to 100 characters"
const WORDS = "A key's name must have visible characters and no control characters"

test.each([
  ['an empty name', '  ', LENGTH],
  ['a long name', 'n'.repeat(101), LENGTH],
  ['a bell', 'a\u0007b', WORDS],
  ['a line break', 'a\nb', WORDS],
  ['a right-to-left override', 'a\u202Eb', WORDS],
  ['an isolate', 'a\u2066b', WORDS],
  ['zero-width characters', '\u200B\u200D', WORDS],
  ['filler characters', '\u3164\u2800', WORDS],
])('a key cannot have the name: %s', (_, name, message) => expect(() => parseKeyName(name)).toThrow(message))

test.each([
  [null, null],
  ['', null],
  [' Jo Doe ', 'Jo Doe'],
  ['Özil', 'Özil'],
  ['Jo\u0007\u001B[31m', 'Jo[31m'],
  ['Jo\u202Eeod', 'Joeod'],
  ['\u2067Jo\u2069', 'Jo'],
  ['a\u2028b', 'ab'],
  ['\u200B\u200D', null],
  ['\u3164', null],
  ['👩‍💻', '👩‍💻'],
  ['x'.repeat(100), 'x'.repeat(100)],
  ['x'.repeat(101), 'x'.repeat(100)],
  // A surrogate pair is one character and is not split.
  ['😀'.repeat(101), '😀'.repeat(100)],
  [`${'x'.repeat(99)} y`, 'x'.repeat(99)],
])('the name %j of a provider is shown as %j', (text, shown) => expect(displayNameOf(text)).toBe(shown))
