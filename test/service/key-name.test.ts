import { expect, test } from 'bun:test'

import { displayNameOf } from '../../src/core/key-name.ts'

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
])('the name %j of a provider is shown as %j', (text, shown) => expect(displayNameOf(text)).toBe(shown))
