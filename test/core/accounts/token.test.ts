import { expect, test } from 'bun:test'

import { hashToken, isSigned, newToken, sign } from '../../../src/core/accounts/token.ts'

const SECRET = new Uint8Array(32).fill(7)

test('a token has 32 bytes and needs no escaping', () => {
  expect(newToken((length) => new Uint8Array(length).fill(255))).toMatch(/^[\w-]{43}$/)
})

test('the parts of a hash are unambiguous', () => {
  expect(hashToken('a', 'bc')).toMatch(/^[0-9a-f]{64}$/)
  expect(new Set([hashToken('a', 'bc'), hashToken('ab', 'c'), hashToken('abc'), hashToken('a","bc')]).size).toBe(4)
})

test.each<[string, () => boolean, boolean]>([
  ['the signed parts', () => isSigned(sign(SECRET, 'csrf', 'a', 'b'), SECRET, 'csrf', 'a', 'b'), true],
  ['another purpose', () => isSigned(sign(SECRET, 'csrf', 'a'), SECRET, 'image', 'a'), false],
  ['another text', () => isSigned(sign(SECRET, 'csrf', 'a'), SECRET, 'csrf', 'b'), false],
  ['parts joined differently', () => isSigned(sign(SECRET, 'csrf', 'a', 'bc'), SECRET, 'csrf', 'ab', 'c'), false],
  ['another secret', () => isSigned(sign(SECRET, 'csrf', 'a'), new Uint8Array(32), 'csrf', 'a'), false],
  ['nothing', () => isSigned('', SECRET, 'csrf', 'a'), false],
  ['a signature with extra characters', () => isSigned(`${sign(SECRET, 'csrf', 'a')}A`, SECRET, 'csrf', 'a'), false],
])('signature of %s', (_, check, isValid) => expect(check()).toBe(isValid))
