import { describe, expect, test } from 'bun:test'

import { hashApiKey, isApiKey, keyIdOf, maskedKey, newApiKey } from '../../../src/core/accounts/api-key.ts'

const KEY = 'urlmeta_live_000102030405060708090a0b0c0d0eff'

test('16 bytes are formatted as a key', () => {
  const bytes = Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255)
  expect(newApiKey((length) => bytes.subarray(0, length))).toBe(KEY)
})

test.each([
  ['a key', KEY, true],
  ['upper case', KEY.toUpperCase(), false],
  ['upper-case digits', KEY.replace('a', 'A'), false],
  ['one digit too few', KEY.slice(0, -1), false],
  ['one digit too many', `${KEY}0`, false],
  ['a trailing line feed', `${KEY}\n`, false],
  ['another prefix', KEY.replace('live', 'test'), false],
  ['two keys', `${KEY}, ${KEY}`, false],
  ['nothing', '', false],
])('%s', (_, text, expected) => expect(isApiKey(text)).toBe(expected))

test('the hash is SHA-256 in lower-case hex', () => {
  // printf %s urlmeta_live_000102030405060708090a0b0c0d0eff | sha256sum
  expect(hashApiKey(KEY)).toBe(new Bun.CryptoHasher('sha256').update(KEY).digest('hex'))
  expect(hashApiKey(KEY)).toMatch(/^[0-9a-f]{64}$/)
})

test('lists show only the last four characters', () => expect(maskedKey(KEY.slice(-4))).toBe('urlmeta_live_…0eff'))

describe('the id of a key created by a form', () => {
  test('is a UUID of version 8', () =>
    expect(keyIdOf('u1', 'form')).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/))

  test('is the same for the same user and form', () => expect(keyIdOf('u1', 'form')).toBe(keyIdOf('u1', 'form')))

  test.each([
    ['another user', 'u2', 'form'],
    ['another form', 'u1', 'other'],
    ['parts that join to the same text', 'u1f', 'orm'],
  ])('is another for %s', (_, userId, form) => expect(keyIdOf(userId, form)).not.toBe(keyIdOf('u1', 'form')))
})
