import { expect, test } from 'bun:test'

import { displayNameOf } from '../../../src/core/accounts/key-name.ts'

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
